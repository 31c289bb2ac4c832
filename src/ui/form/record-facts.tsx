import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { SiteModel } from '../../client/client.ts'
import { Cell } from '../cells/cell.tsx'
import { type PageSession, useSession } from '../data/page-session.ts'
import type { AnyRecord } from '../data/records.ts'
import { accountLabel, fieldOf, may, useModel } from '../data/site.ts'
import { Failure } from '../parts/states.tsx'
import { useLocale, useText } from '../text/text.tsx'

const referencesQuery = (session: PageSession, model: string, filter: string) =>
  queryOptions({
    queryKey: ['records', model, 'count', filter],
    queryFn: async ({ signal }) => {
      const query = { filters: [filter], page_size: 1, fields: ['id'] }
      return (await session.read(signal, (client) => client.model(model).list(query, { signal }))).total
    },
  })

/** Facts beside a form: id, times, and how many other records refer to this one. */
export function RecordFacts({ model, record }: { readonly model: SiteModel; readonly record: AnyRecord }) {
  const { form: text, accounts } = useText()
  const stamps = ['created_at', 'updated_at'].flatMap((name) => fieldOf(model, name) ?? [])
  return (
    <aside className="record-facts" aria-label={text.facts}>
      <dl>
        <div>
          <dt>ID</dt>
          <dd>{record.id}</dd>
        </div>
        {stamps.map((field) => (
          <div key={field.name}>
            <dt>{accountLabel(accounts.fields, field.name, field.label)}</dt>
            <dd>
              <Cell field={field} value={record[field.name]} />
            </dd>
          </div>
        ))}
      </dl>
      {model.referenced_by.length > 0 && (
        <>
          <h2 className="record-facts-title">{text.references}</h2>
          <ul>
            {model.referenced_by.map((reference) => (
              <Reference key={`${reference.model} ${reference.field}`} {...reference} id={record.id} />
            ))}
          </ul>
        </>
      )}
    </aside>
  )
}

interface ReferenceProps {
  readonly model: string
  readonly field: string
  readonly id: number
}

/** A link to the records that refer to this one, with their number; nothing for a model that the user may not view. */
function Reference({ model: key, field, id }: ReferenceProps) {
  const locale = useLocale()
  const model = useModel(key)
  const filter = `${field}=${id}`
  const { data: count, error, refetch } = useQuery({ ...referencesQuery(useSession(), key, filter), enabled: may(model, 'view') })
  if (model === undefined || !may(model, 'view')) return undefined
  return (
    <li>
      <Link to="/models/$model" params={{ model: key }} search={{ filter }} className="reference">
        <span>
          {model.label} <span className="reference-field">{fieldOf(model, field)?.label ?? field}</span>
        </span>
        <span className="reference-count">{count?.toLocaleString(locale)}</span>
      </Link>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
    </li>
  )
}
