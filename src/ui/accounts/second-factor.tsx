import '../styles/accounts.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { AgeCell, DateCell } from '../cells/cell.tsx'
import { factorsQuery } from '../data/accounts.ts'
import { useSession } from '../data/page-session.ts'
import { Confirm } from '../panels/confirm.tsx'
import { useAction } from '../panels/use-action.ts'
import { Button } from '../parts/button.tsx'
import { passing } from '../parts/pass-focus.ts'
import { Dialog } from '../parts/popups.tsx'
import { Failure, Skeleton } from '../parts/states.tsx'
import { useToasts } from '../parts/toast.tsx'
import { useLaterText } from '../text/later.ts'
import { useText } from '../text/text.tsx'
import { FactorSetUp, RecoveryCodes } from './factor-set-up.tsx'

/** Only its buttons close a dialog that shows a secret. */
const stay = () => {}

/** The second factor of the user: sets it up, gives new recovery codes, and removes it. */
export function SecondFactor() {
  const text = useLaterText().account
  const { common } = useText()
  const queries = useQueryClient()
  const toasts = useToasts()
  const { data, error: failure, refetch } = useQuery(factorsQuery(useSession()))
  const { isBusy, error, run, clear } = useAction()
  const [open, setOpen] = useState<'set-up' | 'remove' | 'renew'>()
  const [codes, setCodes] = useState<readonly string[]>()
  const [factor] = data?.data ?? []
  const refresh = () =>
    Promise.all(['factors', 'account', 'account-log'].map((key) => queries.invalidateQueries({ queryKey: [key] })))
  const show = (dialog: typeof open) => {
    clear()
    setOpen(dialog)
  }
  const close = () => setOpen(undefined)
  const remove = async () => {
    if (factor === undefined) return
    if (!(await run((client) => client.request(`/auth/factors/${factor.id}`, { method: 'DELETE' })))) return
    close()
    toasts.done(text.factorRemoved)
    await refresh()
  }
  const renew = () =>
    run(async (client) => {
      const answer = await client.request('/auth/factors/recovery', { method: 'POST', body: {} })
      close()
      setCodes((answer as { readonly recovery_codes: readonly string[] }).recovery_codes)
      await refresh()
    })

  if (data?.two_factor === 'off' && factor === undefined) return undefined
  return (
    <section className="stack narrow" aria-labelledby="own-factor">
      <h2 id="own-factor">{text.factor}</h2>
      {failure !== null && <Failure error={failure} onRetry={() => void refetch()} />}
      {data === undefined && failure === null && <Skeleton lines={2} />}
      {data !== undefined && factor === undefined && (
        <>
          <p className="muted">{text.factorText}</p>
          <div className="actions">
            <Button onClick={passing(() => show('set-up'))}>{text.setUp}</Button>
          </div>
        </>
      )}
      {factor !== undefined && (
        <>
          <p className="facts-line">
            <span>{text.app}</span>
            <span className="muted">
              {text.since} <DateCell type="datetime" value={factor.created_at} />
            </span>
            {factor.last_used_at !== null && (
              <span className="muted">
                {text.lastUsed} <AgeCell value={factor.last_used_at} />
              </span>
            )}
            <span className="muted">{text.codesLeft(data?.recovery_codes_left ?? 0)}</span>
          </p>
          <div className="actions">
            <Button onClick={() => show('renew')}>{text.newCodes}</Button>
            <Button kind="danger" onClick={passing(() => show('remove'))}>
              {text.removeFactor}
            </Button>
          </div>
        </>
      )}
      {open === 'set-up' && (
        <Dialog isOpen onClose={stay} isDismissible={false} title={text.factor}>
          <FactorSetUp
            onDone={() => {
              close()
              toasts.done(text.factorOn)
            }}
            cancel={<Button onClick={close}>{common.cancel}</Button>}
          />
        </Dialog>
      )}
      {open === 'remove' && (
        <Confirm
          {...{ isBusy, error }}
          title={text.removeFactorTitle}
          action={text.removeFactor}
          onConfirm={() => void remove()}
          onClose={close}
        >
          {text.removeFactorText}
        </Confirm>
      )}
      {open === 'renew' && (
        <Confirm
          {...{ isBusy, error }}
          title={text.newCodes}
          action={text.newCodes}
          onConfirm={() => void renew()}
          onClose={close}
        >
          {text.newCodesText}
        </Confirm>
      )}
      {codes !== undefined && (
        <Dialog isOpen onClose={stay} isDismissible={false} title={text.codesTitle}>
          <RecoveryCodes codes={codes} onDone={() => setCodes(undefined)} />
        </Dialog>
      )}
    </section>
  )
}
