import '../styles/accounts.css'
import { useQueryClient } from '@tanstack/react-query'
import { Copy, Download } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { PendingFactor } from '../data/accounts.ts'
import { fileNameOf, saveFile } from '../data/save-file.ts'
import { usePageSettings } from '../hooks.ts'
import { useAction, useFaultFocus } from '../panels/use-action.ts'
import { Button } from '../parts/button.tsx'
import { CodeField } from '../parts/code-field.tsx'
import { CopyField } from '../parts/copy-field.tsx'
import { partOnUse } from '../parts/lazy-part.ts'
import { Loaded } from '../parts/loaded.tsx'
import { Failure } from '../parts/states.tsx'
import { useToasts } from '../parts/toast.tsx'
import { useLaterText } from '../text/later.ts'
import { useSignInText } from '../text/sign-in.ts'

const QrCode = partOnUse(() => import('./qr-code.tsx').then((module) => module.QrCode))

interface FactorSetUpProps {
  /** Called when the second factor is on and the user has the recovery codes. */
  readonly onDone: () => void
  /** The button that gives it up. */
  readonly cancel: ReactNode
}

/** Sets up the second factor, step by step: begin, the secret with its first code, the recovery codes. */
export function FactorSetUp({ onDone, cancel }: FactorSetUpProps) {
  const text = useLaterText().account
  const queries = useQueryClient()
  const { isBusy, error, run } = useAction()
  const [pending, setPending] = useState<PendingFactor>()
  const [codes, setCodes] = useState<readonly string[]>()
  const begin = () =>
    run(async (client) => {
      const { data } = (await client.request('/auth/factors/totp', { method: 'POST', body: {} })) as { data: PendingFactor }
      setPending(data)
    })
  if (codes !== undefined) return <RecoveryCodes codes={codes} onDone={onDone} />
  if (pending !== undefined) {
    const finish = (given: readonly string[]) => {
      setCodes(given)
      void Promise.all([
        queries.invalidateQueries({ queryKey: ['factors'] }),
        queries.invalidateQueries({ queryKey: ['account'] }),
        queries.invalidateQueries({ queryKey: ['account-log'] }),
      ])
    }
    return <FirstCode pending={pending} cancel={cancel} onCodes={finish} />
  }
  return (
    <div className="stack">
      {error !== undefined && <Failure error={error} />}
      <p>{text.factorText}</p>
      <div className="dialog-actions">
        {cancel}
        <Button kind="primary" isBusy={isBusy} onClick={() => void begin()}>
          {text.setUp}
        </Button>
      </div>
    </div>
  )
}

interface FirstCodeProps {
  readonly pending: PendingFactor
  readonly cancel: ReactNode
  /** Called with the recovery codes. */
  readonly onCodes: (codes: readonly string[]) => void
}

/** Shows the secret, as a picture and as a text, and turns the factor on with the first code. */
function FirstCode({ pending: { secret, uri }, cancel, onCodes }: FirstCodeProps) {
  const text = useLaterText().account
  const { code } = useSignInText()
  const { isBusy, error, fieldErrors, run } = useAction({ otp: code.label })
  const [isEmpty, setEmpty] = useState(false)
  const form = useFaultFocus(error ?? (isEmpty || undefined))
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    const otp = String(new FormData(event.currentTarget).get('otp')).replace(/\s/g, '')
    setEmpty(otp === '')
    if (otp === '') return
    await run(async (client) => {
      const confirmed = await client.request('/auth/factors/totp/confirm', { method: 'POST', body: { otp } })
      onCodes((confirmed as { readonly recovery_codes: readonly string[] }).recovery_codes)
    })
  }
  return (
    <form ref={form} className="stack" noValidate onSubmit={(event) => void submit(event)} onInput={() => setEmpty(false)}>
      {error !== undefined && fieldErrors.otp === undefined && <Failure error={error} />}
      <p>{text.scan}</p>
      <Loaded fallback={<div className="qr-code" aria-busy />}>
        <QrCode text={uri} label={text.qr} />
      </Loaded>
      <CopyField label={text.byHand} value={secret} />
      <CodeField errors={isEmpty ? [code.none] : fieldErrors.otp} />
      <div className="dialog-actions">
        {cancel}
        <Button kind="primary" type="submit" isBusy={isBusy}>
          {text.turnOn}
        </Button>
      </div>
    </form>
  )
}

interface RecoveryCodesProps {
  readonly codes: readonly string[]
  readonly onDone: () => void
}

/** Shows the recovery codes, which the server does not tell again. */
export function RecoveryCodes({ codes, onDone }: RecoveryCodesProps) {
  const later = useLaterText()
  const text = later.account
  const { title } = usePageSettings()
  const toasts = useToasts()
  const all = `${codes.join('\n')}\n`
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(all)
      toasts.done(later.copying.copied)
    } catch {
      save()
    }
  }
  const save = () => saveFile(new Blob([all], { type: 'text/plain' }), fileNameOf(`${title} ${text.codesFile}`, 'txt'))
  return (
    <div className="stack">
      <p>{text.codesText}</p>
      <ul className="recovery-codes" aria-label={text.codesTitle}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="actions">
        <Button icon={<Copy size={14} aria-hidden />} onClick={() => void copy()}>
          {text.copyCodes}
        </Button>
        <Button icon={<Download size={14} aria-hidden />} onClick={save}>
          {text.saveCodes}
        </Button>
      </div>
      <div className="dialog-actions">
        <Button kind="primary" onClick={onDone}>
          {text.codesKept}
        </Button>
      </div>
    </div>
  )
}
