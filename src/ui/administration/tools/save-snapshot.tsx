import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { useToasts } from '../../parts/popups/toast.tsx'
import { useText } from '../../text/text.tsx'
import { useAction } from '../use-action.ts'

/** What the server takes as a name. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/

/** Saves a copy of the data under a name. @param names those that are taken */
export function SaveSnapshot({ names }: { readonly names: readonly string[] }) {
  const text = useText().tools
  const queries = useQueryClient()
  const toasts = useToasts()
  const { isBusy, error, run } = useAction()
  const [name, setName] = useState('')
  const [faults, setFaults] = useState<readonly string[]>([])

  const save = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy) return
    const found = !NAME.test(name) ? [text.nameRule] : names.includes(name) ? [text.nameTaken] : []
    setFaults(found)
    if (found.length > 0) return
    if (!(await run((client) => client.request('/snapshots', { method: 'POST', body: { name } })))) return
    setName('')
    toasts.done(text.saved(name))
    await queries.invalidateQueries({ queryKey: ['snapshots'] })
  }

  return (
    <form className="filters" noValidate onSubmit={(event) => void save(event)}>
      <Field label={text.snapshotName} errors={faults}>
        {(links) => (
          <input
            {...links}
            className="input"
            autoComplete="off"
            autoCapitalize="none"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Button kind="primary" type="submit" isBusy={isBusy}>
        {text.save}
      </Button>
      {error !== undefined && <Failure error={error} />}
    </form>
  )
}
