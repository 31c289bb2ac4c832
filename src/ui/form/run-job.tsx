import { useQueryClient } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { useState } from 'react'
import type { SiteJob, SiteModel, SiteModelAction } from '../../client/client.ts'
import { refreshJobs } from '../data/jobs.ts'
import { useSession } from '../data/page-session.ts'
import { Button } from '../parts/button.tsx'
import { partOnUse } from '../parts/lazy-part.ts'
import { LoadedPopup } from '../parts/loaded.tsx'
import { LazyMenu } from '../parts/popups.tsx'
import { useToasts } from '../parts/toast.tsx'
import { useLaterText } from '../text/later.ts'
import type { FormValues } from './values.ts'

const ActionMenu = partOnUse(() => import('./action-menu.tsx').then((module) => module.ActionMenu))
const ActionDialog = partOnUse(() => import('./action-dialog.tsx').then((module) => module.ActionDialog))

/** What stands for the model in the form of an input, which belongs to none. */
const NO_MODEL: SiteModel = {
  ...{ key: '', name: '', label: '', display_field: 'id', group: null, icon: null },
  ...{ can: [], searchable: false, history: false, fields: [], actions: [], referenced_by: [] },
}

/** Stores a job that runs at once, with the values of its input. */
export function RunJob({ jobs }: { readonly jobs: readonly SiteJob[] }) {
  const text = useLaterText().jobs
  const session = useSession()
  const queries = useQueryClient()
  const toasts = useToasts()
  const [asked, setAsked] = useState<SiteModelAction>()
  const actionOf = ({ name, input, input_fields }: SiteJob, title: string): SiteModelAction => ({
    ...{ name, title, icon: null, tone: 'default', on: 'model', when: null, can: true, input, input_fields },
    confirm: input.length === 0 ? text.runText : null,
  })
  const ask = (name: string) => {
    const job = jobs.find((each) => each.name === name)
    if (job !== undefined) setAsked(actionOf(job, text.run(name)))
  }
  const perform = async (name: string, input: FormValues) => {
    await session.run((client) => client.request(`/jobs/${name}/run`, { method: 'POST', body: { input } }))
    toasts.done(text.isQueued(name))
    await refreshJobs(queries)
  }
  const [only, ...others] = jobs
  const trigger = <Button icon={<Play size={14} aria-hidden />}>{text.runOne}</Button>
  return (
    <>
      {only !== undefined && others.length === 0 ? (
        <Button icon={<Play size={14} aria-hidden />} onClick={() => ask(only.name)}>
          {text.run(only.name)}
        </Button>
      ) : (
        <LazyMenu trigger={trigger}>
          <ActionMenu
            trigger={trigger}
            offers={jobs.map((job) => ({ action: actionOf(job, job.name), reason: undefined, isPending: false }))}
            onChoose={({ name }) => ask(name)}
          />
        </LazyMenu>
      )}
      {asked !== undefined && (
        <LoadedPopup onFail={() => setAsked(undefined)}>
          <ActionDialog
            model={NO_MODEL}
            action={asked}
            count={0}
            perform={(input) => perform(asked.name, input)}
            // The server checks the input before it stores the job.
            dryRun={async () => {}}
            onClose={() => setAsked(undefined)}
          />
        </LoadedPopup>
      )}
    </>
  )
}
