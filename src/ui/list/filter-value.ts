import type { SiteField } from '../../client/client.ts'
import { withOffset } from '../../client/local-time.ts'
import { fromLocal, toLocal } from '../widgets/date-times.ts'
import { type NumberSigns, numberText, parseNumber } from '../widgets/numbers.ts'
import { Unparsed } from '../widgets/unparsed.ts'
import type { FilterField } from './filter-labels.ts'
import { endsOf, isValue, itemsOf, itemsText, type ListFilter } from './filter-text.ts'

/** The type of a field that one of its values has. */
const SINGLE: Readonly<Record<string, string>> = {
  many_to_many: 'foreignkey',
  multichoice: 'choice',
  primarykey: 'integer',
  text: 'string',
  // Part of an address is no address.
  url: 'string',
  email: 'string',
  slug: 'string',
  uuid: 'string',
}

/** The type of a field that has several of its values. */
const SEVERAL: Readonly<Record<string, string>> = {
  foreignkey: 'many_to_many',
  one_to_one: 'many_to_many',
  many_to_many: 'many_to_many',
  choice: 'multichoice',
  multichoice: 'multichoice',
}

/**
 * The field that the value of a filter is entered for; undefined for an operator without a value.
 *
 * @param canPick false if the user cannot list the related records, and enters their ids
 */
export function comparedField({ field, view }: FilterField, operator: string, canPick = true): FilterField | undefined {
  if (operator === 'empty' || operator === 'filled') return undefined
  const isList = operator === 'in'
  // The ends of a range of times are days.
  if (operator === 'between' && field.type === 'datetime') return singleField(field, view, 'date')
  const isId = field.relation !== null && !canPick
  const single = isId ? 'integer' : (SINGLE[field.type] ?? field.type)
  const type = isList ? (isId ? 'json' : (SEVERAL[field.type] ?? 'json')) : single
  return singleField(field, view, type, type === 'json' ? 'tags' : undefined)
}

/** A field of another type, without the limits of its own. */
const singleField = (field: SiteField, view: FilterField['view'], type: string, widget?: string): FilterField => ({
  field: { ...field, type, required: false, readonly: false, bounds: {} },
  view: { ...view, field_type: type, required: false, readonly: false, ...(widget && { widget }) },
})

/**
 * The operator and value of the API for what an editor holds; undefined while the value is missing, or an item of a list is no value of
 * the field.
 *
 * @param signs of numbers in the items of a list, which are typed as words
 */
export function filterValue(
  field: SiteField,
  operator: string,
  value: unknown,
  signs: NumberSigns,
): Pick<ListFilter, 'operator' | 'value'> | undefined {
  if (operator === 'empty' || operator === 'filled') return { operator: 'isnull', value: String(operator === 'empty') }
  if (operator === 'in') {
    const items = itemsIn(value).map((item) => readItem(field, item, signs))
    const read = items.filter((item) => typeof item === 'string')
    return read.length === 0 || read.length < items.length ? undefined : { operator, value: itemsText(read) }
  }
  if (operator === 'between') {
    const ends = Array.isArray(value) ? value.map((end) => (isMissing(end) ? '' : String(end))) : []
    return ends.every((end) => end === '') ? undefined : { operator, value: ends.join(',') }
  }
  return isMissing(value) ? undefined : { operator, value: String(value) }
}

/** A change of the operator in an editor. */
interface OperatorChange {
  readonly from: string
  readonly to: string
}

/**
 * What the inputs of an operator begin with when it takes the place of another: a value is the first end of a range, or the first item of
 * a list, and the other way round. The ends of a range of times are days, which begin at midnight.
 */
export function convertedValue(field: SiteField, value: unknown, { from, to }: OperatorChange, signs: NumberSigns): unknown {
  const isSame = from === to || [from, to].every((operator) => operator !== 'in' && operator !== 'between')
  if (isSame) return value
  const isTime = field.type === 'datetime'
  const typed: readonly unknown[] = Array.isArray(value) ? value : [value]
  const singles = typed.map((each) => {
    if (from === 'in') return typedItem(field, String(each), signs)
    return from === 'between' && isTime && !isMissing(each) ? fromLocal(`${each}T00:00`) : each
  })
  const present = singles.filter((each) => !isMissing(each))
  const [first = null] = present
  switch (to) {
    case 'in':
      return present.map((each) => (each instanceof Unparsed ? each.text : typedWord(String(each), field, signs)))
    case 'between': {
      const ends = present.slice(0, 2).map((each) => (isTime && typeof each === 'string' ? toLocal(each).slice(0, 10) : each))
      return [ends[0] ?? null, ends[1] ?? null]
    }
    default:
      return first
  }
}

/** An item of a typed list as the input of one value takes it. */
function typedItem(field: SiteField, item: string, signs: NumberSigns): unknown {
  if (isNumber(field)) return parseNumber(numberType(field), item, signs)
  if (field.type === 'datetime') return withOffset(item)
  return field.relation === null ? item : Number(item)
}

/** True for a range whose first end is after its last, in which nothing can be. Both ends are as the input gives them. */
export function isReversed(field: SiteField, [from, to]: readonly unknown[]): boolean {
  if (isMissing(from) || isMissing(to)) return false
  return isNumber(field) ? Number(from) > Number(to) : String(from) > String(to)
}

const isMissing = (value: unknown): boolean => value === null || value === undefined || value === ''

/** The items of a typed list that are no values of the field, with the faults that are known. */
export const faultyItems = (field: SiteField, value: unknown, signs: NumberSigns): readonly Unparsed[] =>
  itemsIn(value)
    .map((item) => readItem(field, item, signs))
    .filter((item) => item instanceof Unparsed)

const itemsIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])

/** The value of a filter as the input of its editor takes it. */
export function widgetValue({ operator, value }: ListFilter, field: SiteField, signs: NumberSigns): unknown {
  if (operator === 'isnull' || operator === 'within') return null
  if (operator === 'between') return (endsOf(value) ?? []).map((end) => singleValue(end, field))
  if (operator === 'in')
    return itemsOf(value).map((item) => (field.relation === null ? typedWord(item, field, signs) : Number(item)))
  return singleValue(value, field)
}

/** An item of a list as it is typed: lists of other values than related records are words. */
const typedWord = (item: string, field: SiteField, signs: NumberSigns): string =>
  isNumber(field) ? numberText(item, signs) : field.type === 'datetime' ? localTime(item) : item

function singleValue(value: string, field: SiteField): unknown {
  if (field.type === 'boolean') return value === 'true'
  if (field.relation !== null) return Number(value)
  return isNumber(field) ? parseNumber(numberType(field), value, API_SIGNS) : value
}

/** The signs of numbers in filters of an address, as the API takes them. */
const API_SIGNS: NumberSigns = { decimal: '.', group: '' }

const NUMBERS = new Set(['integer', 'number', 'decimal', 'primarykey'])

const numberType = ({ type }: SiteField): string => (type === 'primarykey' ? 'integer' : type)

const isNumber = ({ type }: SiteField): boolean => NUMBERS.has(type)

/** A time as the browser's time zone shows it, unless it would be read as another one. */
function localTime(item: string): string {
  const local = toLocal(item)
  return Date.parse(String(fromLocal(local))) === Date.parse(item) ? local : item
}

/** An item of a typed list as the API takes it; undefined, or an `Unparsed` that says why, if it is no value of the field. */
function readItem(field: SiteField, item: string, signs: NumberSigns): string | Unparsed | undefined {
  if (isNumber(field)) {
    const parsed = parseNumber(numberType(field), item, signs)
    return parsed instanceof Unparsed ? parsed : parsed === null ? undefined : String(parsed)
  }
  if (!isValue(field, item)) return undefined
  if (field.type !== 'datetime') return item
  const sent = withOffset(item)
  // An item with an offset stays as it is.
  if (sent === item) return item
  const read = fromLocal(item.length === 10 ? `${item}T00:00` : item.replace(' ', 'T'))
  return read instanceof Unparsed ? new Unparsed(item, read.fault) : String(read)
}
