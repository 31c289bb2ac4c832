import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ResetResult } from '../data/administration.ts'
import { modelOf, useSite } from '../data/site.ts'
import { Button } from '../parts/button.tsx'
import { LabelledField } from '../parts/field.tsx'
import { Failure } from '../parts/states.tsx'
import { useToasts } from '../parts/toast.tsx'
import { useLaterText } from '../text/later.ts'
import { useLocale } from '../text/text.tsx'
import { Confirm } from './confirm.tsx'
import { useAction } from './use-action.ts'

/** What has to be typed before all records are removed. */
const WORD = 'reset'

/** Removes all records but accounts, after showing how many. */
export function ResetData() {
  const text = useLaterText().tools
  const site = useSite()
  const locale = useLocale()
  const queries = useQueryClient()
  const toasts = useToasts()
  const { isBusy, error, run } = useAction()
  const [withSeeds, setWithSeeds] = useState(true)
  const [plan, setPlan] = useState<ResetResult>()

  const prepare = () =>
    run(async (client) => {
      const body = { seed_data: withSeeds, dry_run: true }
      setPlan((await client.request('/reset', { method: 'POST', body })) as ResetResult)
    })
  const reset = async () => {
    if (!(await run((client) => client.request('/reset', { method: 'POST', body: { seed_data: withSeeds } })))) return
    setPlan(undefined)
    toasts.done(text.resetDone)
    await queries.invalidateQueries()
  }

  return (
    <div className="stack narrow">
      <p>{text.resetText}</p>
      {error !== undefined && plan === undefined && <Failure error={error} />}
      <LabelledField label={text.seedAgain} shape="row">
        {(links) => (
          <input {...links} type="checkbox" checked={withSeeds} onChange={(event) => setWithSeeds(event.target.checked)} />
        )}
      </LabelledField>
      <div className="actions">
        <Button kind="danger" isBusy={isBusy} onClick={() => void prepare()}>
          {text.reset}
        </Button>
      </div>
      {plan !== undefined && (
        <Confirm
          {...{ isBusy, error }}
          title={text.resetTitle}
          action={text.reset}
          word={WORD}
          onConfirm={() => void reset()}
          onClose={() => setPlan(undefined)}
        >
          <p>{text.resetCounts}</p>
          <ul className="plain-list">
            {Object.entries(plan.removed).map(([key, count]) => (
              <li key={key}>
                {modelOf(site, key)?.label ?? key}: {count.toLocaleString(locale)}
              </li>
            ))}
            <li>
              {text.webhooks}: {plan.webhooks.toLocaleString(locale)}
            </li>
            <li>
              {text.historyEntries}: {plan.history.toLocaleString(locale)}
            </li>
          </ul>
        </Confirm>
      )}
    </div>
  )
}
