import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { modelOf, useSite } from '../data/site.ts'
import { Button } from '../parts/button.tsx'
import { LabelledField } from '../parts/field.tsx'
import { Failure, Notice } from '../parts/states.tsx'
import { useLocale, useText } from '../text/text.tsx'
import { Checks } from './checks.tsx'
import { useAction } from './use-action.ts'

/** The models that mock data leaves out unless they are named. */
const ACCOUNTS: readonly string[] = ['user', 'group', 'permission']
const MAX_COUNT = 10_000
const MAX_SEED = 4_294_967_295

interface Created {
  readonly seed: number
  readonly created: Readonly<Record<string, number>>
}

/** Creates mock records of models. */
export function MockData() {
  const text = useText().tools
  const { models } = useSite()
  const queries = useQueryClient()
  const { isBusy, error, fieldErrors, run } = useAction({ models: text.models, count: text.count, seed: text.seed })
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [result, setResult] = useState<Created>()
  const [isEmpty, setEmpty] = useState(false)
  const isShownAtFields = ['models', 'count', 'seed'].some((name) => name in fieldErrors)

  const create = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const values = new FormData(event.currentTarget)
    const seed = String(values.get('seed'))
    setEmpty(chosen.length === 0)
    if (isBusy || chosen.length === 0) return
    setResult(undefined)
    const body = { models: chosen, count: Number(values.get('count')), ...(seed === '' ? {} : { seed: Number(seed) }) }
    await run(async (client) => {
      const { data } = (await client.request('/mock', { method: 'POST', body })) as { data: Created }
      setResult(data)
      await queries.invalidateQueries({ predicate: ({ queryKey: [kind] }) => kind === 'records' || kind === 'site' })
    })
  }

  return (
    <form className="stack" onSubmit={(event) => void create(event)}>
      <p className="muted">{text.mockText}</p>
      {error !== undefined && !isShownAtFields && <Failure error={error} />}
      <Checks
        label={text.models}
        errors={isEmpty && chosen.length === 0 ? [text.chooseModel] : fieldErrors.models}
        options={models.filter(({ key }) => !ACCOUNTS.includes(key)).map(({ key, label }) => ({ value: key, label }))}
        chosen={chosen}
        onChange={setChosen}
      />
      <div className="filters filters-start">
        <LabelledField label={text.count} errors={fieldErrors.count}>
          {(links) => (
            <input {...links} className="input" type="number" name="count" min={1} max={MAX_COUNT} defaultValue={10} required />
          )}
        </LabelledField>
        <LabelledField label={text.seed} help={text.seedHelp} errors={fieldErrors.seed}>
          {(links) => <input {...links} className="input" type="number" name="seed" min={0} max={MAX_SEED} />}
        </LabelledField>
      </div>
      <div className="actions">
        <Button kind="primary" type="submit" isBusy={isBusy}>
          {text.create}
        </Button>
      </div>
      {result !== undefined && <CreatedRecords {...result} />}
    </form>
  )
}

function CreatedRecords({ seed, created }: Created) {
  const text = useText().tools
  const locale = useLocale()
  const site = useSite()
  return (
    <Notice kind="success">
      <p>{text.created(String(seed))}</p>
      <ul>
        {Object.entries(created).map(([key, count]) => (
          <li key={key}>
            <Link to="/models/$model" params={{ model: key }} className="notice-link">
              {modelOf(site, key)?.label ?? key}
            </Link>
            : {count.toLocaleString(locale)}
          </li>
        ))}
      </ul>
    </Notice>
  )
}
