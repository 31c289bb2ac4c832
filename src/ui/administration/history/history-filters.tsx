import { useSite } from '../../data/site.ts'
import { Field } from '../../parts/field.tsx'
import { useText } from '../../text/text.tsx'
import { FilterSelect } from '../filter-select.tsx'
import { useAddress } from '../use-address.ts'

/** Chooses which changes are shown. */
export function HistoryFilters() {
  const text = useText().history
  const { models } = useSite()
  const recorded = models.filter(({ history }) => history).map(({ key, label }) => ({ value: key, label }))
  const { get, change } = useAddress()
  const setUser = (user: string) => user !== (get('user') ?? '') && change({ user: user || undefined, page: undefined })
  return (
    <form className="filters" onSubmit={(event) => event.preventDefault()}>
      <FilterSelect name="model" label={text.model} options={recorded} />
      <FilterSelect name="action" label={text.action} options={optionsOf(text.actions)} />
      <FilterSelect name="via" label={text.via} options={optionsOf(text.vias)} />
      <Field label={text.user}>
        {(links) => (
          <input
            {...links}
            key={get('user')}
            className="input"
            type="search"
            autoCapitalize="none"
            defaultValue={get('user') ?? ''}
            onBlur={(event) => setUser(event.target.value.trim())}
            onKeyDown={(event) => event.key === 'Enter' && setUser(event.currentTarget.value.trim())}
          />
        )}
      </Field>
    </form>
  )
}

const optionsOf = (texts: Readonly<Record<string, string>>) => Object.entries(texts).map(([value, label]) => ({ value, label }))
