import { keepPreviousData, queryOptions, skipToken } from '@tanstack/react-query'
import type { Site, SiteField, SiteModel } from '../../client/client.ts'
import type { Option } from '../parts/combobox.tsx'
import { formatDate } from '../text/format.ts'
import type { PageSession } from './page-session.ts'
import type { AnyRecord } from './records.ts'
import { fieldOf, may, modelOf } from './site.ts'

/** A related record: its id and the text that stands for it. */
export interface Related {
  readonly id: number
  /** Undefined for a record that the user may not view. */
  readonly label: string | undefined
  /** Values by which the record differs from others of the same text that were read with it. */
  readonly marks?: readonly Mark[] | undefined
}

/** A value that tells a record from others of the same name. */
interface Mark {
  readonly field: SiteField
  readonly value: string
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

/** A related record as an option: its text, or its id for one whose text the user may not see. */
export const optionOf = ({ id, label }: Related): Option => ({ value: String(id), label: label ?? `#${id}` })

/** Related records as options. Those of the same text have a note: what they differ by, otherwise their ids. */
export function optionsOf(related: readonly Related[], locale: string): readonly Option[] {
  const texts = related.map((each) => optionOf(each).label)
  return related.map((each) => {
    const option = optionOf(each)
    if (texts.indexOf(option.label) === texts.lastIndexOf(option.label)) return option
    const marks = (each.marks ?? []).map(({ field, value }) => (field.type === 'date' ? formatDate(value, locale) : value))
    return { ...option, note: marks.length > 0 ? marks.join(' · ') : `#${each.id}` }
  })
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
  return named(page.data, target)
}

/** Types of fields that tell people apart what has the same name. */
const MARK_TYPES = new Set(['string', 'email', 'slug', 'date'])

/** Fields that are read to tell records of one name apart. */
const READ_MARKS = 4
/** Values of a record that are shown for this. */
const SHOWN_MARKS = 2

const markFields = ({ fields, display_field }: SiteModel): readonly SiteField[] =>
  fields.filter(({ name, type }) => name !== display_field && MARK_TYPES.has(type)).slice(0, READ_MARKS)

/** The fields that name records of a model. */
const shownFields = (target: SiteModel): string[] => [target.display_field, ...markFields(target).map(({ name }) => name)]

/** Records by name; those of the same name with what they differ by. */
function named(records: readonly AnyRecord[], target: SiteModel): readonly Related[] {
  const byName = Map.groupBy(records, (record) => nameOf(record, target))
  return records.map((record) => {
    const label = nameOf(record, target)
    const equal = byName.get(label) ?? []
    if (equal.length === 1) return { id: record.id, label }
    const differing = markFields(target).filter(({ name }) => new Set(equal.map((each) => each[name])).size > 1)
    const marks = differing.flatMap((field) => {
      const value = labelOf(record, field.name)
      return value === undefined ? [] : [{ field, value }]
    })
    return { id: record.id, label, marks: marks.slice(0, SHOWN_MARKS) }
  })
}

function findRecords(records: Records, target: SiteModel, search: string, signal: AbortSignal) {
  const { display_field: display, searchable } = target
  const shown = fieldOf(target, display)
  const query = { page_size: SHOWN, fields: shownFields(target) }
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
  const query = { filters: { id__in: ids }, fields: shownFields(target), page_size: ids.length }
  const page = await records.list(query, { signal })
  return named(page.data, target)
}

/** The display field of a related model that the user may view; undefined for others and for `id`. */
export function viewableDisplay(site: Site, field: SiteField): string | undefined {
  const target = field.relation === null ? undefined : modelOf(site, field.relation.model)
  return may(target, 'view') && target?.display_field !== 'id' ? target?.display_field : undefined
}

/** The names of related records to request, for relations whose model the user may view. */
export function requestedIncludes(site: Site, fields: readonly SiteField[]): readonly string[] {
  return fields.flatMap((field) => {
    const display = viewableDisplay(site, field)
    return display === undefined || field.type === 'many_to_many' ? [] : [`${field.relation?.name}__${display}`]
  })
}
