import { AppError } from '../errors.ts'
import type { Field } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import { isTimeZone } from '../query/parse.ts'
import { isObject } from '../util/json.ts'
import { meantOrKnown } from '../util/suggest.ts'
import type { Views } from '../views/views.ts'
import { ColumnNames, type ColumnTarget, namingFields } from './column-names.ts'
import { type CellFormats, type CellReading, choiceValues, readLocalCell } from './local-cells.ts'
import { DATE_FORMATS, type DateFormat, formatsOf, NUMBER_FORMATS, type NumberFormat } from './local-values.ts'

/** How the columns of a file become fields, as `map` of an import has it. */
export interface FileMap {
  /** By the header of a column: a field; a relation and the field that names its records, `patient_id.number`; null to leave the column out. */
  readonly columns?: Readonly<Record<string, string | null>>
  readonly dates?: DateFormat
  readonly numbers?: NumberFormat
  /** Names the formats of days and numbers that are not named themselves. */
  readonly locale?: string
  /** Time zone of dates with a time and without an offset. */
  readonly time_zone?: string
  /** Values that every row has, as in a request. */
  readonly constants?: Readonly<Record<string, unknown>>
}

/** A column of a file and how its cells are read. */
export interface MappedColumn {
  /** Name of the field, or the header if there is no such field. */
  readonly name: string
  readonly field: Field | undefined
  read(value: unknown): CellReading
}

interface MappingParts {
  readonly model: Model
  readonly registry: Registry
  readonly views: Views
}

const MEMBERS = ['columns', 'dates', 'numbers', 'locale', 'time_zone', 'constants']

/** Decides what the columns of a file mean and how their cells are read. Columns that the map does not name are found by their names. */
export class Mapping {
  readonly constants: Readonly<Record<string, unknown>>
  readonly formats: CellFormats
  readonly #columns: ReadonlyMap<string, ColumnTarget | null>
  readonly #names: ColumnNames
  readonly #parts: MappingParts

  /** @throws {AppError} INVALID_REQUEST with the faults of the map under `map` */
  constructor(given: unknown, parts: MappingParts) {
    const { model } = parts
    const faults: string[] = []
    const map = isObject(given) ? given : {}
    if (!isObject(given)) faults.push('\'map\' must be an object such as {"columns": {"Name": "name"}}')
    for (const name of Object.keys(map))
      if (!MEMBERS.includes(name)) faults.push(`'map' has no '${name}'${meantOrKnown(name, MEMBERS)}`)
    const { columns = {}, constants = {}, locale, time_zone: timeZone = 'UTC' } = map
    const local = typeof locale === 'string' ? formatsOf(locale) : undefined
    if (locale !== undefined && local === undefined)
      faults.push(`'locale' must be a language such as de or en-GB, not '${String(locale)}'`)
    const isZone = typeof timeZone === 'string' && isTimeZone(timeZone)
    if (!isZone) faults.push(`'time_zone' must be a name such as Europe/Berlin, not '${String(timeZone)}'`)
    this.formats = {
      dates: oneOf('dates', DATE_FORMATS, map.dates, faults) ?? local?.dates,
      numbers: oneOf('numbers', NUMBER_FORMATS, map.numbers, faults) ?? local?.numbers,
      timeZone: isZone ? timeZone : 'UTC',
    }
    if (!isObject(columns)) faults.push("'columns' must be an object of fields by the headers of columns")
    if (!isObject(constants)) faults.push("'constants' must be an object of values by fields")
    this.#columns = columnsIn(isObject(columns) ? columns : {}, parts, faults)
    this.constants = isObject(constants) ? constants : {}
    for (const name of Object.keys(this.constants)) {
      if (!model.fields.has(name))
        faults.push(`'constants' has no field '${name}' of ${model.name}${meantOrKnown(name, [...model.fields.keys()])}`)
    }
    if (faults.length > 0) throw new AppError('INVALID_REQUEST', { map: faults.slice(0, MAX_FAULTS) })
    this.#names = new ColumnNames(model, parts.registry, parts.views)
    this.#parts = parts
  }

  /** The column with a header; null if it is left out. */
  column(header: string): MappedColumn | null {
    const named = this.#columns.get(header.trim())
    if (named === null) return null
    const target = named ?? this.#names.targetOf(header)
    if (target === undefined) return { name: header, field: undefined, read: (value) => ({ value }) }
    const { field, by } = target
    if (Object.hasOwn(this.constants, field.name)) {
      const message = `The column '${header}' and 'constants' both set the field '${field.name}'; leave one of them out`
      throw new AppError('INVALID_REQUEST', { map: [message] })
    }
    const choices = choiceValues(field, this.#parts.views, this.#parts.model)
    return { name: field.name, field, read: (value) => readLocalCell({ field, by, choices }, value, this.formats) }
  }
}

const MAX_FAULTS = 10

function oneOf<T extends string>(name: string, known: readonly T[], given: unknown, faults: string[]): T | undefined {
  const found = known.find((each) => each === String(given))
  if (given !== undefined && found === undefined)
    faults.push(`'${name}' must be one of ${known.join(', ')}, not '${String(given)}'`)
  return found
}

function columnsIn(
  columns: Readonly<Record<string, unknown>>,
  { model, registry }: MappingParts,
  faults: string[],
): ReadonlyMap<string, ColumnTarget | null> {
  const found = new Map<string, ColumnTarget | null>()
  for (const [header, named] of Object.entries(columns)) {
    if (named === null) found.set(header.trim(), null)
    else if (typeof named !== 'string')
      faults.push(`The column '${header}' must be a field or null, not ${JSON.stringify(named)}`)
    else {
      const target = targetOf(named, model, registry)
      if (typeof target === 'string') faults.push(`The column '${header}' ${target}`)
      else found.set(header.trim(), target)
    }
  }
  return found
}

/** What `patient_id` or `patient_id.number` names, or the fault. */
function targetOf(named: string, model: Model, registry: Registry): ColumnTarget | string {
  const [name = '', ...path] = named.split('.')
  const field = model.fields.get(name)
  if (field === undefined) return `names the field '${name}', which does not exist${meantOrKnown(name, [...model.fields.keys()])}`
  if (path.length === 0) return { field }
  if (field.relation === undefined) return `names '${named}', but '${name}' is no relation`
  const target = registry.expect(field.relation.target)
  const known = namingFields(target)
  const by = path.length === 1 ? known.find((each) => each.name === path[0]) : undefined
  const names = () => known.map((each) => each.name)
  return by === undefined
    ? `names '${named}', but no ${target.key} is named by '${path.join('.')}'${meantOrKnown(path.join('.'), names())}`
    : { field, by }
}
