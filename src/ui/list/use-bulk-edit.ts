import { useQueryClient } from '@tanstack/react-query'
import { AdminError, type Client, type SiteModel } from '../../client/client.ts'
import { useSession } from '../data/page-session.ts'
import { type AnyRecord, refreshModel } from '../data/records.ts'
import { nameOf } from '../data/related.ts'
import { fieldOf, useSite } from '../data/site.ts'
import { underForm } from '../data/views.ts'
import { formerValues, isSameContent, valueIn } from '../form/values.ts'
import { type Undone, useUndoNotice } from '../panels/use-undo-notice.ts'
import { useLaterText } from '../text/later.ts'
import { useText } from '../text/text.tsx'
import type { BulkField, bulkSelection } from './selection.ts'

type Selected = ReturnType<typeof bulkSelection>

/** A record that gets its former value back, unless it has another version by now. */
interface Reversal {
  readonly id: number
  readonly data: Readonly<Record<string, unknown>>
  readonly if_match: string
}

/**
 * A function that gives a field of many records the same value, and says so; with Undo where the history of the model is recorded, which gives
 * the records their former values back.
 *
 * @throws {AdminError} if nothing was changed
 */
export function useBulkEdit(model: SiteModel): (selected: Selected, chosen: BulkField, value: unknown) => Promise<void> {
  const text = useText()
  const later = useLaterText()
  const session = useSession()
  const queries = useQueryClient()
  const { limits } = useSite()
  const say = useUndoNotice()

  const undo = async (
    records: ReadonlyMap<number, AnyRecord>,
    reversals: readonly Reversal[],
    { form }: BulkField,
  ): Promise<Undone> => {
    const refused = await session.run((client) => changeBack(client, model.key, reversals, underForm(form)))
    await refreshModel(queries, model.key)
    const total = reversals.length
    const [first] = refused
    if (first === undefined) return { message: later.history.changesUndone(total), isWhole: true }
    const [id, error] = first
    const { fieldErrors } = error.titled((name) => fieldOf(model, name)?.label ?? name)
    const record = records.get(id)
    const messages = Object.values(fieldErrors).flat().map(text.errors.fromServer)
    const reason =
      'if_match' in fieldErrors ? later.history.changedSince : messages.join('; ') || text.errors.fromServer(error.message)
    const refusal = later.history.refusal(record === undefined ? `#${id}` : nameOf(record, model), reason)
    const detail = later.history.andMore(refusal, refused.size - 1)
    const message = refused.size === total ? later.history.notUndone : later.history.changesUndoneOf(total - refused.size, total)
    return { message, detail, isWhole: false }
  }

  return async (selected, chosen, value) => {
    const { view, field, form } = chosen
    const data = { [view.name]: value }
    const { signal } = new AbortController()
    const isUndoable = model.history && selected.expectedTotal <= limits.bulk_size && field.type !== 'password'
    const former = isUndoable
      ? await session.read(signal, (client) => recordsOf(client, model.key, selected, view.name, signal))
      : []
    const {
      data: changed,
      etags = [],
      total,
    } = await session.run((client) =>
      client.model(model.key).bulkUpdate({ ...selected, data }, { ...underForm(form), etags: isUndoable }),
    )
    await refreshModel(queries, model.key)
    const tags = new Map(changed.map(({ id }, index) => [id, etags[index]]))
    const reversals = former.flatMap((record): Reversal[] => {
      const [values, if_match] = [formerValues(model, [view.name], record), tags.get(record.id)]
      const isUnchanged = isSameContent(field, valueIn(record, field), value)
      return values === undefined || if_match === undefined || isUnchanged ? [] : [{ id: record.id, data: values, if_match }]
    })
    const records = new Map(changed.map((record) => [record.id, record]))
    say(text.list.changed(total), reversals.length === 0 ? undefined : () => undo(records, reversals, chosen))
  }
}

/** Reads selected records with one field. */
async function recordsOf(
  client: Client,
  key: string,
  { filters, any, search }: Selected,
  field: string,
  signal: AbortSignal,
): Promise<readonly AnyRecord[]> {
  const records = client.model(key)
  const found: AnyRecord[] = []
  if (search === undefined) {
    for await (const record of records.all({ filters, any, fields: [field] }, { signal })) found.push(record)
    return found
  }
  for (let page = 1; ; page++) {
    const { data, has_next } = await records.search(
      search,
      { filters, any, page, page_size: PAGE, sort: ['id'], complete: true },
      { signal },
    )
    found.push(...data)
    if (!has_next) return found
  }
}

/** Records of a page of a search. */
const PAGE = 100

/**
 * Changes records back in one transaction, without those that are refused.
 *
 * @returns why records are refused, by id
 * @throws {AdminError} if none could be changed for another reason
 */
async function changeBack(
  client: Client,
  key: string,
  reversals: readonly Reversal[],
  form: { readonly form_id?: string },
): Promise<ReadonlyMap<number, AdminError>> {
  const refused = new Map<number, AdminError>()
  let rest = reversals
  while (rest.length > 0) {
    try {
      await client.model(key).bulkUpdate(rest, form)
      return refused
    } catch (error) {
      if (!(error instanceof AdminError)) throw error
      const former = refused.size
      for (const [index, { id }] of rest.entries()) {
        const fieldErrors = error.errorsOf(index)
        if (Object.keys(fieldErrors).length === 0) continue
        const message = Object.values(fieldErrors).flat().join('; ')
        refused.set(id, new AdminError(message, { type: error.type, status: error.status, fieldErrors }))
      }
      if (refused.size === former) throw error
      rest = rest.filter(({ id }) => !refused.has(id))
    }
  }
  return refused
}
