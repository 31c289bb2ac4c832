import { type FormEvent, useId, useState } from 'react'
import { useSite } from '../data/site.ts'
import { RECORD_ACTIONS } from '../panels/permission-rows.ts'
import { useAction, useFaultFocus } from '../panels/use-action.ts'
import { Button } from '../parts/button.tsx'
import { LabelledField, SelectField } from '../parts/field.tsx'
import { Dialog } from '../parts/popups.tsx'
import { Failure } from '../parts/states.tsx'
import { DataTable } from '../parts/table.tsx'
import { useLaterText } from '../text/later.ts'
import { useText } from '../text/text.tsx'

interface KeyFormProps {
  /** Called with the new key. */
  readonly onKey: (key: string) => void
  readonly onClose: () => void
}

/** The scopes by what the user chooses; `chosen` has those that are ticked. */
const SCOPES = { read: ['read'], change: ['read', 'write'], all: ['*'] } as const

type Rights = keyof typeof SCOPES | 'chosen'

const RIGHTS: readonly Rights[] = ['read', 'change', 'all', 'chosen']

/** For how many days a key may be good; 0 for no limit. */
const DAYS = [7, 30, 90, 365, 0] as const

/** Asks what a new key is for, what it may do and for how long. */
export function KeyForm({ onKey, onClose }: KeyFormProps) {
  const text = useLaterText().account
  const { common } = useText()
  const form = useId()
  const { isBusy, error, fieldErrors, run } = useAction({ name: text.keyName, scopes: text.rights })
  const focused = useFaultFocus(error)
  const [rights, setRights] = useState<Rights>('read')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [days, setDays] = useState('90')
  const [isNothing, setNothing] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    const scopes = rights === 'chosen' ? chosen : SCOPES[rights]
    setNothing(scopes.length === 0)
    if (scopes.length === 0) return
    const name = String(new FormData(event.currentTarget).get('name')).trim()
    const body = { name, scopes, expires_in_days: days === '0' ? null : Number(days) }
    await run(async (client) => {
      const { data } = (await client.request('/auth/keys', { method: 'POST', body })) as { data: { readonly key: string } }
      onKey(data.key)
    })
  }
  const isShownAtFields = fieldErrors.name !== undefined || fieldErrors.scopes !== undefined
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={text.createKey}
      shape={rights === 'chosen' ? 'wide' : 'small'}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" type="submit" form={form} isBusy={isBusy}>
            {text.createKey}
          </Button>
        </>
      }
    >
      <form ref={focused} id={form} className="stack" noValidate onSubmit={(event) => void submit(event)}>
        {error !== undefined && !isShownAtFields && <Failure error={error} />}
        <LabelledField label={text.keyName} help={text.keyNameHelp} errors={fieldErrors.name} isRequired>
          {(links) => <input {...links} className="input" name="name" autoComplete="off" maxLength={100} />}
        </LabelledField>
        <SelectField
          label={text.validFor}
          value={days}
          options={DAYS.map((each) => ({ value: String(each), label: each === 0 ? text.forever : text.days(each) }))}
          onChange={setDays}
        />
        <SelectField
          label={text.rights}
          help={text.rightsHelp}
          value={rights}
          options={RIGHTS.map((each) => ({ value: each, label: text.rightsOf[each] }))}
          onChange={(value) => setRights(value as Rights)}
        />
        {rights === 'chosen' && <ScopeTable chosen={chosen} onChange={setChosen} />}
        {isNothing && rights === 'chosen' && <Failure error={new Error(text.noRights)} />}
        {fieldErrors.scopes !== undefined && <Failure error={new Error(fieldErrors.scopes.join('; '))} />}
      </form>
    </Dialog>
  )
}

interface ScopeTableProps {
  /** Codenames such as `view_post`. */
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}

/** The permissions of the user as ticks: models in rows, actions in columns. */
function ScopeTable({ chosen, onChange }: ScopeTableProps) {
  const { users: text } = useLaterText()
  const { models } = useSite()
  const tick = (codename: string, isOn: boolean) =>
    onChange(isOn ? [...chosen, codename] : chosen.filter((each) => each !== codename))
  return (
    <DataTable
      label={text.permissions}
      columns={[text.model, ...RECORD_ACTIONS.map((action) => text.actions[action])]}
      shape="matrix"
    >
      {models.map(({ key, label, can }) => (
        <tr key={key}>
          <th scope="row">{label}</th>
          {RECORD_ACTIONS.map((action) => {
            const codename = `${action}_${key}`
            return (
              <td key={action}>
                {can.includes(action) && (
                  <label className="tick">
                    <input
                      type="checkbox"
                      aria-label={text.permission(text.actions[action], label)}
                      checked={chosen.includes(codename)}
                      onChange={(event) => tick(codename, event.target.checked)}
                    />
                  </label>
                )}
              </td>
            )
          })}
        </tr>
      ))}
    </DataTable>
  )
}
