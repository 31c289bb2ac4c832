import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { modelOf, useSite } from '../data/site.ts'
import { Button } from '../parts/button.tsx'
import { LabelledField } from '../parts/field.tsx'
import { Failure, Notice } from '../parts/states.tsx'
import { useLaterText } from '../text/later.ts'
import { useLocale, useText } from '../text/text.tsx'
import { faultsOf } from '../widgets/faults.ts'
import { TypedNumber } from '../widgets/number-inputs.tsx'
import { Unparsed } from '../widgets/unparsed.ts'
import { Checks } from './checks.tsx'
import { useAction } from './use-action.ts'

/** The models that mock data leaves out unless they are named. */
const ACCOUNTS: readonly string[] = ['user', 'group', 'permission', 'savedview']
const DEFAULT_COUNT = 10

interface Created {
  readonly seed: number
  readonly created: Readonly<Record<string, number>>
}

/** Creates mock records of models. */
export function MockData() {
  const { form: faults } = useText()
  const text = useLaterText().tools
  const { models } = useSite()
  const queries = useQueryClient()
  const { isBusy, error, fieldErrors, run } = useAction({ models: text.models, count: text.count, seed: text.seed })
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [result, setResult] = useState<Created>()
  const [count, setCount] = useState<unknown>(DEFAULT_COUNT)
  const [seed, setSeed] = useState<unknown>(null)
  const [wasTried, setTried] = useState(false)
  const isShownAtFields = ['models', 'count', 'seed'].some((name) => name in fieldErrors)

  const create = async (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (isBusy || chosen.length === 0 || count instanceof Unparsed || seed instanceof Unparsed) return
    setResult(undefined)
    const body = { models: chosen, count: count ?? DEFAULT_COUNT, ...(seed === null ? {} : { seed }) }
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
        errors={wasTried && chosen.length === 0 ? [text.chooseModel] : fieldErrors.models}
        options={models.filter(({ key }) => !ACCOUNTS.includes(key)).map(({ key, label }) => ({ value: key, label }))}
        chosen={chosen}
        onChange={setChosen}
      />
      <div className="filters filters-start">
        <LabelledField label={text.count} errors={[...faultsOf(count, faults, wasTried), ...(fieldErrors.count ?? [])]}>
          {(links) => (
            <TypedNumber type="integer" value={count} onChange={setCount} links={links} placeholder={String(DEFAULT_COUNT)} />
          )}
        </LabelledField>
        <LabelledField
          label={text.seed}
          help={text.seedHelp}
          errors={[...faultsOf(seed, faults, wasTried), ...(fieldErrors.seed ?? [])]}
        >
          {(links) => <TypedNumber type="integer" value={seed} onChange={setSeed} links={links} />}
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
  const text = useLaterText().tools
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
