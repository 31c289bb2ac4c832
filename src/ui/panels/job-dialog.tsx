import { useQueryClient } from '@tanstack/react-query'
import { RotateCcw } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { SiteJob } from '../../client/client.ts'
import { DateCell } from '../cells/cell.tsx'
import { type JobStatus, type QueuedJob, refreshJobs } from '../data/jobs.ts'
import { Button } from '../parts/button.tsx'
import { Chip } from '../parts/chip.tsx'
import { Dialog } from '../parts/popups.tsx'
import { Failure } from '../parts/states.tsx'
import { CodeBlock } from '../parts/table.tsx'
import { useToasts } from '../parts/toast.tsx'
import { useLaterText } from '../text/later.ts'
import { useText } from '../text/text.tsx'
import { useAction } from './use-action.ts'

/** Lets jobs run again. */
export interface JobRetry {
  /** Id of the job whose request is under way. */
  readonly busyId: number | undefined
  /** Why the last request failed. */
  readonly error: unknown
  readonly start: (job: QueuedJob) => void
}

export function useJobRetry(): JobRetry {
  const text = useLaterText().jobs
  const queries = useQueryClient()
  const toasts = useToasts()
  const { isBusy, error, run } = useAction()
  const [id, setId] = useState<number>()
  const start = (job: QueuedJob) => {
    setId(job.id)
    void run(async (client) => {
      await client.request(`/jobs/${job.id}/retry`, { method: 'POST' })
      toasts.done(text.isQueued(`${job.name} #${job.id}`))
      await refreshJobs(queries)
    })
  }
  return { busyId: isBusy ? id : undefined, error, start }
}

const COLORS = { waiting: 'yellow', running: 'blue', done: 'green', failed: 'red' } as const

/** How a job stands. */
export const JobState = ({ status }: { readonly status: JobStatus }) => (
  <Chip color={COLORS[status]}>{useLaterText().jobs.statuses[status]}</Chip>
)

interface JobDialogProps {
  readonly job: QueuedJob
  /** The jobs of the project. */
  readonly known: readonly SiteJob[]
  readonly retry: JobRetry
  readonly onClose: () => void
}

/** A job: its times, its input, and why its last attempt failed. */
export function JobDialog({ job, known, retry, onClose }: JobDialogProps) {
  const { common } = useText()
  const text = useLaterText().jobs
  const schedule = known.find(({ name }) => name === job.name)
  const times = [
    [text.enqueuedAt, job.enqueued_at],
    [text.dueAt, job.run_at],
    [text.startedAt, job.started_at],
    [text.finishedAt, job.finished_at],
  ] as const
  return (
    <Dialog
      isOpen
      onClose={onClose}
      shape="wide"
      title={`${job.name} #${job.id}`}
      description={<JobState status={job.status} />}
      actions={
        <>
          <Button onClick={onClose}>{common.close}</Button>
          {(job.status === 'failed' || job.status === 'waiting') && (
            <Button icon={<RotateCcw size={14} aria-hidden />} isBusy={retry.busyId === job.id} onClick={() => retry.start(job)}>
              {job.status === 'failed' ? text.retry : text.runNow}
            </Button>
          )}
        </>
      }
    >
      <div className="stack">
        {retry.error !== undefined && <Failure error={retry.error} />}
        <dl className="facts">
          <dt>{text.attempt}</dt>
          <dd>{job.attempt}</dd>
          {times.map(
            ([label, at]) =>
              at !== null && (
                <JobFact key={label} label={label}>
                  <DateCell type="datetime" value={at} />
                </JobFact>
              ),
          )}
          {job.key !== null && (
            <JobFact label={text.key}>
              <span className="mono wrap">{job.key}</span>
            </JobFact>
          )}
          {schedule !== undefined && schedule.schedule !== null && (
            <JobFact label={text.schedule}>
              <span className="mono wrap">
                {schedule.schedule} {schedule.timezone}
              </span>
            </JobFact>
          )}
        </dl>
        {job.error !== null && (
          <section className="stack-tight">
            <h3>{text.error}</h3>
            <CodeBlock label={text.error}>{job.error}</CodeBlock>
          </section>
        )}
        <section className="stack-tight">
          <h3>{text.input}</h3>
          <CodeBlock label={text.input}>{JSON.stringify(job.input, null, 2)}</CodeBlock>
        </section>
      </div>
    </Dialog>
  )
}

interface JobFactProps {
  readonly label: string
  readonly children: ReactNode
}

const JobFact = ({ label, children }: JobFactProps) => (
  <>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </>
)
