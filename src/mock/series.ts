import { AppError } from '../errors.ts'
import { type Field, type FileField, hasDefault, isFileField, isNeeded, isRelation, type RelationField } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import { DAY_MS, isoTime } from '../util/clock.ts'
import type { Json } from '../util/json.ts'
import { type CandidateGenerator, candidateGenerator, storedForm } from './candidates.ts'
import { MOCK_FILE_TYPES, MockFiles } from './mock-files.ts'
import { timestampsFor } from './numbers.ts'
import type { FakerSource, KeyedRandom } from './random.ts'
import { snake } from './texts.ts'

/** Maximum number of attempts for one value. */
const MAX_ATTEMPTS = 10_000
/** Attempts in which the end of something comes after its beginning. */
const ORDERED_ATTEMPTS = 200
/** Probability that an optional field is empty. */
const EMPTY_PROBABILITY = 0.15
/** Maximum number of records in a many-to-many relation. */
const MAX_LINKS = 4

/** Inputs of a series. */
interface SeriesOptions {
  readonly model: Model
  readonly source: FakerSource
  readonly seed: number
  /** Fields that keep their default. */
  readonly keepsDefault?: (field: Field) => boolean
  /** Taken values of unique fields, by field name. */
  readonly taken?: ReadonlyMap<string, Iterable<Json>>
  /** Seed of the values of secret fields, instead of the public seed. */
  readonly secret: string
  /** The files that file fields may have; by the seed when absent. */
  readonly files?: MockFiles
}

/**
 * A series of mock records of one model. Each value is derived from the seed, the model, the index of the record and the field
 * only, so adding or removing a field does not change other values. Unique fields also depend on earlier values of the same
 * field.
 */
export class Series {
  readonly #options: SeriesOptions
  readonly #own: readonly Field[]
  readonly #relations: readonly RelationField[]
  readonly #candidates: ReadonlyMap<string, CandidateGenerator>
  /** Fields that begin what another field ends, by the name of that field. */
  readonly #beginnings: ReadonlyMap<string, Field>
  readonly #used: ReadonlyMap<string, Set<Json>>

  constructor(options: SeriesOptions) {
    const { model, source, taken, keepsDefault = () => false, files = new MockFiles(options.seed) } = options
    const isLeftOut = (field: Field) => isFileField(field) && !field.required && files.count(field) === 0
    const settable = [...model.fields.values()].filter((field) => !field.system && !keepsDefault(field) && !isLeftOut(field))
    this.#options = options
    this.#own = settable.filter((field) => !isRelation(field))
    this.#relations = settable.filter(isRelation)
    this.#beginnings = beginnings(this.#own)
    this.#candidates = new Map(this.#own.map((field) => [field.name, candidateGenerator(field, model, source, files)]))
    const unique = settable.filter((field) => field.unique)
    this.#used = new Map(unique.map(({ name }) => [name, new Set(taken?.get(name) ?? [])]))
  }

  /**
   * The values of a record except relations. Must be called in order of the index, since unique values depend on earlier ones.
   *
   * @throws {AppError} INVALID_REQUEST naming the field for which no value was found
   */
  values(index: number): Record<string, Json> {
    return this.#valuesOf(this.#own, index, 0)
  }

  /** The values of fields, beginnings before their ends. */
  #valuesOf(fields: readonly Field[], index: number, round: number): Record<string, Json> {
    const values = new Map<string, Json>()
    const isEnd = ({ name }: Field) => this.#beginnings.has(name)
    for (const field of [...fields.filter((each) => !isEnd(each)), ...fields.filter(isEnd)]) {
      values.set(field.name, this.#value(field, index, round, values.get(this.#beginnings.get(field.name)?.name ?? '')))
    }
    return Object.fromEntries(fields.map(({ name }) => [name, values.get(name) ?? null]))
  }

  /**
   * The relations of a record. Must be called in order of the index.
   *
   * @param targets ids that a relation may refer to
   * @throws {AppError} INVALID_REQUEST naming the field that has no record to refer to
   */
  relations(index: number, targets: (field: RelationField) => readonly number[]): Record<string, Json> {
    return Object.fromEntries(this.#relations.map((field) => [field.name, this.#relation(field, index, targets(field))]))
  }

  /** Other values for the fields that may have any: neither unique nor secret. The same attempt gives the same values. */
  others(index: number, attempt: number): Record<string, Json> {
    const isFree = (field: Field) => !field.unique && !field.type.secret
    // The end of something stays with a beginning that stays.
    const free = this.#own.filter((field) => isFree(field) && isFree(this.#beginnings.get(field.name) ?? field))
    return this.#valuesOf(free, index, attempt)
  }

  /** Other records for the foreign keys that may refer to any. The same attempt gives the same ids. */
  otherRelations(index: number, attempt: number, targets: (field: RelationField) => readonly number[]): Record<string, Json> {
    const free = this.#relations.filter(({ unique, relation }) => !unique && relation.kind === 'one')
    return Object.fromEntries(free.map((field) => [field.name, this.#relation(field, index, targets(field), attempt)]))
  }

  /** Creation and change times, for models with timestamps. */
  timestamps(index: number): Record<string, Json> {
    if (!this.#options.model.timestamps) return {}
    this.#startRandom('timestamps of', index)
    return timestampsFor(this.#options.source.random)
  }

  /** Starts the random numbers of one value. */
  #startRandom(field: string, index: number, attempt = 0, round = 0): void {
    const { seed, model, source } = this.#options
    const rest = round === 0 ? [attempt] : [attempt, round]
    source.random.start(JSON.stringify([seed, model.key, index, field, ...rest]))
  }

  /**
   * @param round 0 for the first value, further numbers for others
   * @param begin the value of the field that begins what this one ends. The order is a preference, since limits may exclude it
   */
  #value(field: Field, index: number, round: number, begin: Json = null): Json {
    const { model, source, secret } = this.#options
    const candidate = this.#candidates.get(field.name)
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (field.type.secret) source.random.start(JSON.stringify([secret, model.key, field.name, attempt]))
      else this.#startRandom(field.name, index, attempt, round)
      if (attempt === 0 && isOptional(field) && source.random.chance(round === 0 ? EMPTY_PROBABILITY : 0.5)) return null
      const isOrdered = begin !== null && attempt < ORDERED_ATTEMPTS
      const proposed = isOrdered && field.faker === undefined ? endAfter(begin, field, source.random) : undefined
      const value = storedForm(field, proposed ?? candidate?.(attempt))
      if (value === undefined || (isOrdered && !isInOrder(begin, value, field))) continue
      if (this.#claim(field, value)) return value
    }
    if (isFileField(field)) throw noValueError(field, unmockable(field, model))
    const many = field.unique ? '; it is unique, so ask for fewer records' : ''
    const remedy = `${many || ';'} ${many ? 'or ' : ''}say what it looks like with mock: { faker: … }`
    throw noValueError(field, `No value was found for '${field.name}' of ${model.name} in ${MAX_ATTEMPTS} tries${remedy}`)
  }

  #relation(field: RelationField, index: number, targets: readonly number[], attempt = 0): Json {
    const { model, source } = this.#options
    this.#startRandom(field.name, index, attempt)
    const { random, faker } = source
    const { target, kind } = field.relation
    if (targets.length === 0 && field.required) {
      const words = `'${field.name}' of ${model.name} is mandatory, and there is no ${target} to refer to; mock ${target} as well`
      throw noValueError(field, words)
    }
    if (kind === 'many') {
      const max = Math.min(MAX_LINKS, targets.length)
      return faker.helpers.arrayElements(targets, { min: Math.min(field.required ? 1 : 0, max), max })
    }
    if (targets.length === 0 || (!field.required && random.chance(EMPTY_PROBABILITY))) return null
    const start = random.integer(0, targets.length - 1)
    if (!field.unique) return targets[start] ?? null
    for (let attempt = 0; attempt < targets.length; attempt++) {
      const id = targets[(start + attempt) % targets.length] ?? null
      if (this.#claim(field, id)) return id
    }
    if (!field.required) return null
    const words = `'${field.name}' of ${model.name} is unique, and every ${target} is taken; mock more of ${target}, or fewer records`
    throw noValueError(field, words)
  }

  /** Reserves a value of a unique field. Returns false if it is taken. */
  #claim(field: Field, value: Json): boolean {
    const used = this.#used.get(field.name)
    if (used === undefined) return true
    if (used.has(value)) return false
    used.add(value)
    return true
  }
}

const isOptional = (field: Field): boolean => !isNeeded(field) && !hasDefault(field) && !field.type.list

const unmockable = ({ name, file }: FileField, model: Model): string =>
  `'${name}' of ${model.name} is mandatory and accepts ${file.accept?.join(', ')}; mock data has only ${MOCK_FILE_TYPES.join(', ')}`

const noValueError = ({ name }: Field, words: string): AppError => new AppError('INVALID_REQUEST', { [name]: [words] })

/** Words of a field's name for a beginning, with those for its end. */
const WORDS: readonly (readonly [begin: RegExp, ends: readonly string[]])[] = [
  [/(^|_)start(?=_|$)/, ['end', 'finish', 'stop']],
  [/(^|_)starts(?=_|$)/, ['ends', 'finishes']],
  [/(^|_)started(?=_|$)/, ['ended', 'finished', 'stopped']],
  [/(^|_)begin(?=_|$)/, ['end', 'finish']],
  [/(^|_)begins(?=_|$)/, ['ends', 'finishes']],
  [/(^|_)from(?=_|$)/, ['to', 'until', 'till']],
  [/(^|_)opens(?=_|$)/, ['closes']],
  [/(^|_)open(?=_|$)/, ['close']],
  [/(^|_)opened(?=_|$)/, ['closed']],
  [/(^|_)opening(?=_|$)/, ['closing']],
  [/(^|_)check_?in(?=_|$)/, ['check_out', 'checkout']],
  [/(^|_)min(?=_|$)/, ['max']],
  [/(^|_)minimum(?=_|$)/, ['maximum']],
]

/** Types whose values have an order. */
const ORDERED: ReadonlySet<Field['type']['name']> = new Set(['date', 'time', 'datetime', 'integer', 'number', 'decimal'])

/** The fields that begin what another field ends, by the name of that field: `starts_at` for `ends_at`. Both have the same type. */
function beginnings(fields: readonly Field[]): ReadonlyMap<string, Field> {
  const byName = new Map(fields.map((field) => [snake(field.name), field]))
  const found = new Map<string, Field>()
  for (const [name, begin] of byName) {
    for (const [word, ends] of ORDERED.has(begin.type.name) ? WORDS : []) {
      if (!word.test(name)) continue
      for (const end of ends) {
        const other = byName.get(name.replace(word, `$1${end}`))
        if (other?.type === begin.type) found.set(other.name, begin)
      }
    }
  }
  return found
}

const QUARTER_MS = 900_000
const LAST_QUARTER = '23:45:00'

/** A value for the end of what begins at a value: up to 14 days, 8 hours, or later on the day. Undefined for numbers. */
function endAfter(begin: Json, { type }: Field, random: KeyedRandom): Json | undefined {
  if (typeof begin !== 'string') return undefined
  const moment = (text: string, plus: number) => isoTime(Date.parse(text) + plus)
  switch (type.name) {
    case 'date':
      return moment(`${begin}T00:00:00.000Z`, random.integer(0, 14) * DAY_MS).slice(0, 10)
    case 'datetime':
      return moment(begin, random.integer(1, 32) * QUARTER_MS)
    case 'time': {
      if (begin >= LAST_QUARTER) return '23:59:59'
      const left = (Date.parse(`1970-01-01T${LAST_QUARTER}Z`) - Date.parse(`1970-01-01T${begin}Z`)) / QUARTER_MS
      return moment(`1970-01-01T${begin}Z`, random.integer(1, Math.max(1, Math.floor(left))) * QUARTER_MS).slice(11, 19)
    }
    default:
      return undefined
  }
}

/** True if a value is not before, or less than, another of the same field type. */
function isInOrder(begin: Json, end: Json, { type }: Field): boolean {
  if (type.name === 'decimal') return Number(end) >= Number(begin)
  return typeof begin === typeof end && begin !== null && end !== null && end >= begin
}
