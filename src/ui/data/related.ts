import { keepPreviousData, queryOptions, skipToken } from '@tanstack/react-query'
import type { SiteField, SiteModel } from '../../client/client.ts'
import type { PageSession } from './page-session.ts'
import type { AnyRecord } from './records.ts'
import { fieldOf } from './site.ts'

/** A related record: its id and the text that stands for it. */
export interface Related {
  readonly id: number
  /** Undefined for a record that the user may not view. */
  readonly label: string | undefined
}

/** Number of records that a search of a picker shows. */
const SHOWN = 20

/** The text that stands for a record, or undefined if the record does not have its display field. */
export function labelOf(record: unknown, displayField: string): string | undefined {
  const value =
    typeof record === 'object' && record !== null ? (record as Readonly<Record<string, unknown>>)[displayField] : undefined
  return value === null || value === undefined || value === '' ? undefined : String(value)
}

/** The text that names a record of a model in lists and messages: that of its display field, otherwise its id. */
export const nameOf = (record: AnyRecord, { display_field }: SiteModel): string =>
  labelOf(record, display_field) ?? `#${record.id}`

/** The id of a related record, which the API writes as a number or as an object. */
export function idOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'number' ? value.id : undefined
}

/** The ids of related records, or of the one, as the API writes them. */
export const idsOf = (value: unknown): readonly number[] =>
  (Array.isArray(value) ? value : [value]).flatMap((each: unknown) => idOf(each) ?? [])

/** The related records that a record names in one of its fields. */
export function relatedIn(record: AnyRecord | undefined, field: SiteField, target: SiteModel | undefined): readonly Related[] {
  const nested = record?.[field.relation?.name ?? '']
  return (Array.isArray(nested) ? nested : [nested]).flatMap((each: unknown) => {
    const id = idOf(each)
    const label = labelOf(each, target?.display_field ?? nameIn(each))
    return id === undefined || typeof each === 'number' ? [] : [{ id, label }]
  })
}

/** The field with which a related record of an unknown model is named: the only one beside its id. */
function nameIn(record: unknown): string {
  const names = typeof record === 'object' && record !== null ? Object.keys(record).filter((name) => name !== 'id') : []
  return names.length === 1 ? (names[0] ?? 'id') : 'id'
}

/** The query of the records of a model that match a search, as a picker offers them; it waits while the model is undefined. */
export const optionsQuery = (session: PageSession, target: SiteModel | undefined, search: string) =>
  queryOptions({
    queryKey: ['records', target?.key, 'options', search],
    queryFn:
      target === undefined
        ? skipToken
        : ({ signal }) => session.read(signal, (client) => findOptions(client.model(target.key), target, search.trim(), signal)),
    placeholderData: keepPreviousData,
  })

type Records = ReturnType<PageSession['client']['model']>

async function findOptions(
  records: Records,
  target: SiteModel,
  search: string,
  signal: AbortSignal,
): Promise<readonly Related[]> {
  const page = await findRecords(records, target, search, signal)
  return page.data.map((record) => ({ id: record.id, label: nameOf(record, target) }))
}

function findRecords(records: Records, target: SiteModel, search: string, signal: AbortSignal) {
  const { display_field: display, searchable } = target
  const shown = fieldOf(target, display)
  const query = { page_size: SHOWN, fields: [display] }
  if (search === '') return records.list({ ...query, sort: shown?.sortable === true ? [display] : undefined }, { signal })
  if (searchable) return records.search(search, { page_size: SHOWN }, { signal })
  if (shown?.operators.includes('icontains') === true) {
    return records.list({ ...query, filters: { [`${display}__icontains`]: search } }, { signal })
  }
  const id = Number(search)
  return records.list({ ...query, filters: { id: Number.isSafeInteger(id) ? id : 0 } }, { signal })
}

/** The query of the texts of some records of a model; it waits while the model is undefined. */
export const labelsQuery = (session: PageSession, target: SiteModel | undefined, ids: readonly number[]) =>
  queryOptions({
    queryKey: ['records', target?.key, 'labels', ids],
    queryFn:
      target === undefined
        ? skipToken
        : ({ signal }) => session.read(signal, (client) => findLabels(client.model(target.key), target, ids, signal)),
    placeholderData: keepPreviousData,
  })

async function findLabels(
  records: Records,
  target: SiteModel,
  ids: readonly number[],
  signal: AbortSignal,
): Promise<readonly Related[]> {
  const query = { filters: { id__in: ids }, fields: [target.display_field], page_size: ids.length }
  const page = await records.list(query, { signal })
  return page.data.map((record) => ({ id: record.id, label: nameOf(record, target) }))
}
