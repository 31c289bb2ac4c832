import type { Field } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import type { Views } from '../views/views.ts'
import { ColumnNames, type ColumnTarget } from './column-names.ts'
import { choiceValues } from './local-cells.ts'
import {
  DATE_FORMATS,
  type DateFormat,
  formatsOf,
  localTimeIn,
  NUMBER_FORMATS,
  type NumberFormat,
  numberIn,
} from './local-values.ts'
import type { FileMap } from './mapping.ts'

/** A column as it is in a file. */
export interface RawColumn {
  readonly header: string
  /** The texts of its cells that are not empty. */
  readonly texts: readonly string[]
  /** Those that are text in the file; numbers of JSON, as a spreadsheet has them, have one meaning in every format. */
  readonly written: readonly string[]
}

/** A guess, and what the file leaves open: its values can be read in several ways. */
export interface MapGuess {
  readonly map: FileMap
  readonly ambiguous: readonly ('dates' | 'numbers')[]
}

interface GuessParts {
  readonly model: Model
  readonly registry: Registry
  readonly views: Views
}

const DATES: ReadonlySet<string> = new Set(['date', 'datetime'])
const NUMBERS: ReadonlySet<string> = new Set(['integer', 'number', 'decimal'])

/**
 * Guesses which fields the columns are, by their names and what is in them, and how days and numbers are written. What is given stays.
 *
 * A format is guessed if all values that are readable can be read in it, and those formats in which they can be read give the same values.
 */
export function guessMap(columns: readonly RawColumn[], given: FileMap, parts: GuessParts): MapGuess {
  const targets = targetsOf(columns, given, parts)
  const named = Object.fromEntries(
    columns.map(({ header }) => {
      const target = targets.get(header)
      const name = target?.by === undefined ? (target?.field.name ?? null) : `${target.field.name}.${target.by.name}`
      return [header, given.columns?.[header] === undefined ? name : given.columns[header]] as const
    }),
  )
  const texts = (types: ReadonlySet<string>) =>
    columns.flatMap(({ header, written }) => (types.has(targets.get(header)?.field.type.name ?? '') ? written : []))
  const local = given.locale === undefined ? undefined : formatsOf(given.locale)
  const dates = given.dates ?? local?.dates ?? formatOf(texts(DATES), DATE_FORMATS, localTimeIn)
  const numbers = given.numbers ?? local?.numbers ?? formatOf(texts(NUMBERS), NUMBER_FORMATS, numberIn)
  const map: FileMap = {
    ...given,
    columns: named,
    ...(dates === undefined || dates === 'ambiguous' ? {} : { dates: dates satisfies DateFormat }),
    ...(numbers === undefined || numbers === 'ambiguous' ? {} : { numbers: numbers satisfies NumberFormat }),
  }
  const open = { dates, numbers }
  return { map, ambiguous: (['dates', 'numbers'] as const).filter((name) => open[name] === 'ambiguous') }
}

/** The only format, or the first of several that read the same; undefined if there are no texts, or no format reads all that one can read. */
function formatOf<F extends string>(
  texts: readonly string[],
  formats: readonly F[],
  read: (text: string, format: F) => string | undefined,
): F | 'ambiguous' | undefined {
  // A text that no format reads is a fault in every format.
  const readable = texts.filter((text) => formats.some((format) => read(text.trim(), format) !== undefined))
  if (readable.length === 0) return undefined
  const readings = formats.flatMap((format) => {
    const values = readable.map((text) => read(text.trim(), format))
    return values.includes(undefined) ? [] : [{ format, key: values.join('\n') }]
  })
  const [first] = readings
  return readings.every(({ key }) => key === first?.key) ? first?.format : 'ambiguous'
}

/** The targets of the columns: those given, then those by name, then those that only one column and one field can be by content. */
function targetsOf(columns: readonly RawColumn[], given: FileMap, parts: GuessParts): ReadonlyMap<string, ColumnTarget> {
  const { model } = parts
  const names = new ColumnNames(model, parts.registry, parts.views)
  const found = new Map<string, ColumnTarget>()
  const taken = new Set<string>()
  const take = (header: string, target: ColumnTarget | undefined) => {
    if (target === undefined || taken.has(target.field.name)) return
    found.set(header, target)
    taken.add(target.field.name)
  }
  for (const [header, name] of Object.entries(given.columns ?? {})) {
    const field = model.fields.get(name?.split('.')[0] ?? '')
    if (field !== undefined) take(header, { field })
  }
  for (const name of Object.keys(given.constants ?? {})) taken.add(name)
  const open = columns.filter(({ header }) => given.columns?.[header] === undefined)
  for (const { header } of open) take(header, names.targetOf(header))
  const left = open.filter(({ header, texts }) => !found.has(header) && texts.length > 0)
  const fields = model.visibleFields.filter(({ name, system }) => !system && !taken.has(name))
  const fits = fields.flatMap((field) => {
    const test = contentTest(field, parts)
    return test === undefined ? [] : left.filter(({ texts }) => texts.every(test)).map(({ header }) => ({ field, header }))
  })
  for (const { field, header } of fits) {
    const isOnly = fits.filter((each) => each.field === field || each.header === header).length === 1
    if (isOnly) take(header, { field })
  }
  return found
}

/** Tells whether a text can be a value of a field, for fields whose values look like no others. */
function contentTest(field: Field, { views, model }: GuessParts): ((text: string) => boolean) | undefined {
  if (field.type.name === 'email') return (text) => field.type.read(text.trim()).ok && text.includes('@')
  if (field.type.name !== 'choice') return undefined
  const labels = choiceValues(field, views, model)
  const known = new Set((field.limits.choices ?? []).map((choice) => String(choice).toLowerCase()))
  return (text) => known.has(text.trim().toLowerCase()) || labels?.has(text.trim().toLowerCase()) === true
}
