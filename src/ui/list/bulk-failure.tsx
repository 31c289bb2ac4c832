import { queryOptions, useQuery } from '@tanstack/react-query'
import { AdminError, type SiteModel } from '../../client/client.ts'
import { type PageSession, useSession } from '../data/page-session.ts'
import { fieldOf } from '../data/site.ts'
import { Button } from '../parts/button.tsx'
import { Failure, Notice } from '../parts/states.tsx'
import { useText } from '../text/text.tsx'
import { allSelected, bulkSelection, type ListSelection, type Matches, NO_SELECTION, selectedCount } from './selection.ts'

/** Selected records of a list. */
export interface BulkProps {
  readonly model: SiteModel
  readonly selection: ListSelection
  readonly setSelection: (selection: ListSelection) => void
  readonly matches: Matches
}

/** Messages of invalid records that are shown. */
const SHOWN = 10

/** Why a bulk operation changed nothing: other records match than were selected, or some of them are invalid. */
export function BulkFailure({ error, ...props }: BulkProps & { readonly error: unknown }) {
  const text = useText().list
  if (!(error instanceof AdminError)) return <Failure error={error} />
  if (error.type === 'conflict') return <CountConflict {...props} />
  const { fieldErrors } = error.titled((name) => fieldOf(props.model, name)?.label ?? name)
  const messages = Object.entries(fieldErrors).map(([key, faults]): [string, string] => {
    const [id = key] = key.split('.')
    return [key, text.bulkError(id, faults.join('; '))]
  })
  if (messages.length === 0) return <Failure error={error} />
  return (
    <Notice kind="error">
      <p>{text.bulkInvalid}</p>
      <ul className="bulk-errors">
        {messages.slice(0, SHOWN).map(([key, message]) => (
          <li key={key}>{message}</li>
        ))}
      </ul>
      {messages.length > SHOWN && <p>{text.bulkMore(messages.length - SHOWN)}</p>}
    </Notice>
  )
}

/** Says how many records match now, and selects them. */
function CountConflict({ model, selection, setSelection, matches }: BulkProps) {
  const text = useText().list
  const { filters, any = [], search = '' } = bulkSelection(selection, matches)
  const { data: now, error, refetch } = useQuery(countQuery(useSession(), model.key, { q: search, filters, any }))
  const expected = selectedCount(selection)
  if (now === undefined) {
    return (
      <>
        <Notice kind="error">{text.conflict(expected)}</Notice>
        {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      </>
    )
  }
  const select = () => setSelection(selection.allOf === undefined ? NO_SELECTION : allSelected(now))
  return (
    <Notice
      kind="error"
      actions={now !== expected && <Button onClick={select}>{text.selectNow(now, selection.allOf !== undefined)}</Button>}
    >
      {text.conflictNow(expected, now)}
    </Notice>
  )
}

/** The query of the number of records that match now. */
const countQuery = (session: PageSession, model: string, { q, filters, any }: Matches) =>
  queryOptions({
    queryKey: ['records', model, 'count', q, filters, any],
    queryFn: async ({ signal }) => {
      const query = { page_size: 1, filters, any }
      const { total } = await session.read(signal, async (client) => {
        const records = client.model(model)
        return q === '' ? records.list({ ...query, fields: ['id'] }, { signal }) : records.search(q, query, { signal })
      })
      return total
    },
    staleTime: 0,
  })
