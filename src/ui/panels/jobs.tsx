import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { SiteJob } from '../../client/client.ts'
import { DateCell } from '../cells/cell.tsx'
import { JOB_STATUSES, jobsQuery, type QueuedJob } from '../data/jobs.ts'
import { useSession } from '../data/page-session.ts'
import { useAddress } from '../data/use-address.ts'
import { Button } from '../parts/button.tsx'
import { PageButtons } from '../parts/page-buttons.tsx'
import { EmptyState, Failure, Skeleton } from '../parts/states.tsx'
import { DataTable } from '../parts/table.tsx'
import { useLaterText } from '../text/later.ts'
import { useText } from '../text/text.tsx'
import { FilterSelect } from './checks.tsx'
import { JobDialog, type JobRetry, JobState, useJobRetry } from './job-dialog.tsx'

interface JobPanelProps {
  /** The jobs of the project. */
  readonly known: readonly SiteJob[]
  /** The button that runs one of them. */
  readonly runButton: ReactNode
}

/** The jobs of the project: what waits, runs, and is over. */
export function JobPanel({ known, runButton }: JobPanelProps) {
  const text = useLaterText().jobs
  const { get, page, change } = useAddress()
  const status = JOB_STATUSES.find((each) => each === get('status'))
  const name = known.find((job) => job.name === get('name'))?.name
  const { data, error, refetch } = useQuery({ ...jobsQuery(useSession(), { status, name, page }), refetchOnMount: 'always' })
  const retry = useJobRetry()
  const open = data?.data.find(({ id }) => id === Number(get('job')))
  return (
    <div className="stack">
      <div className="filters">
        <FilterSelect
          name="status"
          label={text.state}
          options={JOB_STATUSES.map((value) => ({ value, label: text.statuses[value] }))}
        />
        <FilterSelect name="name" label={text.job} options={known.map(({ name }) => ({ value: name, label: name }))} />
        {runButton}
      </div>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {retry.error !== undefined && <Failure error={retry.error} />}
      {data === undefined && error === null && <Skeleton lines={4} />}
      {data?.total === 0 && <NoJobs isFiltered={status !== undefined || name !== undefined} />}
      {data !== undefined && data.total > 0 && (
        <>
          <JobTable jobs={data.data} retry={retry} onOpen={({ id }) => change({ job: String(id) })} />
          <PageButtons page={data} onChange={(next) => change({ page: next === 1 ? undefined : String(next) })} />
        </>
      )}
      {open !== undefined && (
        <JobDialog job={open} known={known} retry={retry} onClose={() => change({ job: undefined }, true)} />
      )}
    </div>
  )
}

function NoJobs({ isFiltered }: { readonly isFiltered: boolean }) {
  const { common } = useText()
  const text = useLaterText().jobs
  return isFiltered ? (
    <p className="muted">{common.noMatches}</p>
  ) : (
    <EmptyState title={text.noneTitle}>{text.noneText}</EmptyState>
  )
}

interface JobTableProps {
  readonly jobs: readonly QueuedJob[]
  readonly retry: JobRetry
  readonly onOpen: (job: QueuedJob) => void
}

/** Jobs, each of which opens. */
function JobTable({ jobs, retry, onOpen }: JobTableProps) {
  const { common } = useText()
  const text = useLaterText().jobs
  return (
    <DataTable
      label={text.title}
      columns={[
        text.job,
        text.state,
        text.when,
        { label: text.attempt, kind: 'number' },
        text.error,
        { label: common.actions, kind: 'buttons' },
      ]}
      shape="stacks"
    >
      {jobs.map((job) => (
        <tr key={job.id}>
          <th scope="row">
            <button type="button" className="link-button" onClick={() => onOpen(job)}>
              {job.name} <span className="muted">#{job.id}</span>
            </button>
          </th>
          <td>
            <JobState status={job.status} />
          </td>
          <td className="no-wrap">
            <JobTime job={job} />
          </td>
          <td className="number" data-label={text.attempt}>
            {job.attempt === 0 ? '–' : job.attempt}
          </td>
          <td className="wrap">{job.error !== null && <span className="job-error">{messageOf(job)}</span>}</td>
          <td>
            {job.status === 'failed' && (
              <div className="row-actions">
                <Button isBusy={retry.busyId === job.id} onClick={() => retry.start(job)}>
                  {text.retry}
                </Button>
              </div>
            )}
          </td>
        </tr>
      ))}
    </DataTable>
  )
}

/** The error without file, line and name of the code, which the dialog of the job has. */
const messageOf = ({ error }: QueuedJob): string => (error ?? '').replace(/^\S+:\d+ \S+: /, '')

/** When a job is due, has begun, or was over. */
function JobTime({ job }: { readonly job: QueuedJob }) {
  const text = useLaterText().jobs
  const { status, run_at, started_at, finished_at, enqueued_at } = job
  const at = { waiting: run_at, running: started_at, done: finished_at, failed: finished_at }[status] ?? enqueued_at
  return (
    <>
      <span className="muted">{text.times[status]}</span> <DateCell type="datetime" value={at} />
    </>
  )
}
