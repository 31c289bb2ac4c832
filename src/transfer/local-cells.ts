import type { Field } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import type { Views } from '../views/views.ts'
import { readCell, splitList } from './cells.ts'
import { viewedFields } from './column-names.ts'
import { choiceLabels } from './labels.ts'
import { type DateFormat, dayIn, localTimeIn, momentsIn, type NumberFormat, numberIn } from './local-values.ts'

/** A value of a cell; the text of related records, which are looked up later; or the reason why the cell has none. */
export type CellReading =
  | { readonly value: unknown }
  | { readonly related: readonly string[]; readonly by: Field | undefined }
  | { readonly problem: string }

/** The formats and the time zone in which cells are read. */
export interface CellFormats {
  readonly dates: DateFormat | undefined
  readonly numbers: NumberFormat | undefined
  readonly timeZone: string
}

/** The values of choices by what people write for them: the values, and their labels in lower case. Several values may have one label. */
export type ChoiceValues = ReadonlyMap<string, ReadonlySet<string>>

/** The choices of a field with the labels of the model and of all views; undefined for a field without labels. */
export function choiceValues(field: Field, views: Views, model: Model): ChoiceValues | undefined {
  if (field.type.name !== 'choice' && field.type.name !== 'multichoice') return undefined
  const found = new Map<string, Set<string>>()
  const add = (text: string, value: string) => {
    const key = text.trim().toLowerCase()
    found.set(key, (found.get(key) ?? new Set()).add(value))
  }
  const viewed = viewedFields(views, model).filter(({ name }) => name === field.name)
  for (const view of [undefined, ...viewed]) for (const [value, label] of choiceLabels(field, view)) add(label, value)
  return found
}

/** A column: its field, the field that names related records, and the choices. */
interface ReadColumn {
  readonly field: Field
  readonly by: Field | undefined
  readonly choices: ChoiceValues | undefined
}

/** Booleans as people write them. */
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'ja', 'wahr', 'oui', 'vrai', 'sí', 'si', '1', 'x'].map((text) => [text, true] as const),
  ...['false', 'no', 'nein', 'falsch', 'non', 'faux', '0'].map((text) => [text, false] as const),
])

const NUMBERS: ReadonlySet<string> = new Set(['integer', 'number', 'decimal'])
/** A day as ISO 8601 has it, which is read in every format. */
const ISO_DAY = /^\d{4}-\d{2}-\d{2}$/
const WITH_OFFSET = /(?:Z|[+-]\d{2}:?\d{2})$/i

/**
 * Reads a cell as people write it. What could mean two things is a problem; what cannot be read at all is left to validation.
 *
 * @param given a text, or a value of JSON, such as a number of a spreadsheet
 */
export function readLocalCell(column: ReadColumn, given: unknown, formats: CellFormats): CellReading {
  const { field } = column
  const { type } = field
  if (given === null || given === undefined) return { value: null }
  if (field.relation !== undefined && isPlain(given)) return relatedReading(column, String(given))
  if (typeof given === 'number' && type.searchable) return { value: String(given) }
  if (typeof given !== 'string') return { value: given }
  if (type.secret) return { value: given }
  const text = given.trim()
  if (text === '' && !type.searchable) return { value: type.list ? [] : null }
  if (column.choices !== undefined) return choiceReading(column, given)
  if (type.name === 'boolean') return { value: BOOLEANS.get(text.toLowerCase()) ?? given }
  if (type.name === 'date') return dayReading(field, text, formats)
  if (type.name === 'datetime') return timeReading(field, text, formats)
  if (NUMBERS.has(type.name)) return numberReading(field, text, formats)
  return { value: readCell(field, given) }
}

const isPlain = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number'

/** The texts of related records: several behind semicolons for a field of many. */
function relatedReading({ field, by }: ReadColumn, text: string): CellReading {
  const items = field.type.list ? splitList(text) : [text]
  const related = items.map((item) => item.trim()).filter((item) => item !== '')
  if (related.length === 0) return { value: field.type.list ? [] : null }
  return { related, by }
}

function choiceReading({ field, choices = new Map() }: ReadColumn, text: string): CellReading {
  const known: readonly unknown[] = field.limits.choices ?? []
  const values: unknown[] = []
  const single = { ...field, type: { ...field.type, list: false } }
  for (const written of field.type.list ? splitList(text) : [text]) {
    const item = written.trim()
    const meant = new Set<unknown>(choices.get(item.toLowerCase()) ?? [])
    // A choice may have spaces around it.
    const exact = readCell(single, written)
    const value = known.includes(exact) ? exact : readCell(single, item)
    if (known.includes(value)) meant.add(value)
    const own = known.find((each) => String(each).toLowerCase() === item.toLowerCase())
    if (meant.size === 0 && own !== undefined) meant.add(own)
    if (meant.size > 1) {
      return {
        problem: `${field.name} is ambiguous: '${item}' means ${[...meant].map((each) => `'${each}'`).join(' and ')}; write the value`,
      }
    }
    const [only = value] = meant
    values.push(only)
  }
  return { value: field.type.list ? values : values[0] }
}

function dayReading({ name }: Field, text: string, { dates }: CellFormats): CellReading {
  if (ISO_DAY.test(text)) return { value: text }
  // A spreadsheet has times for days, too.
  const midnight = /^(.*\d)[T ]00:00(?::00)?$/.exec(text)?.[1] ?? text
  const day = dayIn(midnight, dates ?? 'yyyy-mm-dd')
  if (day !== undefined) return { value: day }
  return { problem: `${name} must be a date ${written(dates)}: '${text}'` }
}

function timeReading({ name }: Field, text: string, { dates, timeZone }: CellFormats): CellReading {
  if (WITH_OFFSET.test(text) && text.includes(':')) return { value: text }
  const plain = text.replace(/(:\d{2})\.0+$/, '$1')
  const local = localTimeIn(plain, 'yyyy-mm-dd') ?? (dates === undefined ? undefined : localTimeIn(plain, dates))
  if (local === undefined) return { problem: `${name} must be a date with a time ${written(dates)}: '${text}'` }
  const [moment, second] = momentsIn(local, timeZone)
  if (moment === undefined)
    return { problem: `${name} does not exist in ${timeZone}, whose clocks skip it: '${text}'; add the offset` }
  if (second !== undefined)
    return { problem: `${name} comes twice in ${timeZone}, when clocks are set back: '${text}'; add the offset` }
  return { value: moment }
}

const written = (dates: string | undefined): string =>
  dates === undefined ? 'such as 2026-11-28; name the date format of the file' : `such as ${dates}, the date format of the file`

function numberReading(field: Field, text: string, { numbers }: CellFormats): CellReading {
  if (numbers === undefined) return { value: readCell(field, text) }
  const number = numberIn(text, numbers)
  if (number === undefined)
    return { problem: `${field.name} must be a number such as ${numbers}, the number format of the file: '${text}'` }
  return { value: readCell(field, number.replace(/^\+/, '')) }
}
