import { AdminError, type ImportMap, type ImportPreview, type SiteModel } from '../../client/client.ts'
import { fieldOf } from '../data/site.ts'
import type { RememberedMap } from '../preferences.ts'
import type { ImportTable } from './file-content.ts'

/** Formats of days of the server, each with the same day. */
export const DATE_EXAMPLES: Readonly<Record<string, string>> = {
  'yyyy-mm-dd': '2026-11-28',
  'yyyy/mm/dd': '2026/11/28',
  'dd.mm.yyyy': '28.11.2026',
  'dd/mm/yyyy': '28/11/2026',
  'dd-mm-yyyy': '28-11-2026',
  'mm/dd/yyyy': '11/28/2026',
  'mm-dd-yyyy': '11-28-2026',
}

const NUMBERS = ['1234.56', '1,234.56', '1.234,56', "1'234.56", '1 234,56']

/** Formats of numbers of the server. */
export const NUMBER_EXAMPLES: Readonly<Record<string, string>> = Object.fromEntries(NUMBERS.map((each) => [each, each]))

/** What the user has chosen, or chose for a file with the same columns; the server guesses the rest. */
export interface ChosenMap extends RememberedMap {
  readonly isRemembered: boolean
}

export const NOTHING_CHOSEN: ChosenMap = { columns: {}, isRemembered: false }

/** What is chosen, with what the server has guessed. */
export interface ShownMap {
  readonly columns: readonly {
    readonly header: string
    /** As `map.columns` has it; null for a column that is left out. */
    readonly field: string | null
    readonly samples: readonly string[]
  }[]
  /** As chosen; undefined for a guess. */
  readonly dates: string | undefined
  readonly numbers: string | undefined
}

/** The name of the field in `patient_id.number`; empty for none. */
export const fieldNameOf = (field: string | null): string => field?.split('.')[0] ?? ''

/** Columns without a name and without a value, as behind the last one of many CSV files, are not shown. */
const isNameless = (header: string): boolean => /^Column [A-Z]+$/.test(header)

/** The map to show: what is chosen comes before what is guessed. Fields that only the server sets are left out, but for the id. */
export function shownMap(model: SiteModel, chosen: ChosenMap, answer: ImportPreview): ShownMap {
  const columns = answer.columns.map(({ header, field, samples }) => {
    const given = Object.hasOwn(chosen.columns, header) ? (chosen.columns[header] ?? null) : field
    const known = fieldOf(model, fieldNameOf(given))
    const isSet = known !== undefined && (!known.readonly || known.type === 'primarykey')
    return { header, field: isSet ? given : null, samples }
  })
  const isShown = ({ header, field, samples }: (typeof columns)[number]) =>
    field !== null || samples.length > 0 || !isNameless(header)
  return { columns: columns.filter(isShown), dates: chosen.dates, numbers: chosen.numbers }
}

/**
 * The choices with another field of a column. All others stay what is shown, since another guess would be a surprise. A column that had the field
 * before is left out.
 */
export function withColumn(chosen: ChosenMap, map: ShownMap, header: string, field: string | null): ChosenMap {
  const name = fieldNameOf(field)
  const columns = map.columns.map((column) => {
    if (column.header === header) return [header, field] as const
    const isTaken = name !== '' && fieldNameOf(column.field) === name
    return [column.header, isTaken ? null : column.field] as const
  })
  return { ...chosen, columns: { ...chosen.columns, ...Object.fromEntries(columns) } }
}

/** The parameter `map` of a preview. */
export const previewMap = ({ columns, dates, numbers }: ChosenMap, timeZone: string): ImportMap => ({
  ...{ columns, dates, numbers, time_zone: timeZone },
})

/** The parameter `map` of an import, by the names of the columns in the file that is sent. */
export function importMap({ headers, keys }: ImportTable, { columns }: ShownMap, { map }: ImportPreview): ImportMap {
  const fields = new Map(columns.map(({ header, field }) => [header, field]))
  const named = headers.map((header, index) => [keys[index] ?? header, fields.get(header) ?? null] as const)
  return { columns: Object.fromEntries(named), dates: map.dates, numbers: map.numbers, time_zone: map.time_zone }
}

/** What is kept of a map for the next file with these columns. */
export function keptMap({ headers }: ImportTable, { columns }: ShownMap, { map }: ImportPreview): RememberedMap {
  const fields = new Map(columns.map(({ header, field }) => [header, field]))
  const named = headers.map((header) => [header, fields.get(header) ?? null] as const)
  return { columns: Object.fromEntries(named), dates: map.dates, numbers: map.numbers }
}

/** The messages of a previewed row by field, with the titles of fields. */
export function titledErrors(model: SiteModel, { errors }: ImportPreview['rows'][number]): AdminError['fieldErrors'] {
  const error = new AdminError('', { type: 'validation', fieldErrors: errors })
  return error.titled((name) => fieldOf(model, name)?.label ?? name).fieldErrors
}
