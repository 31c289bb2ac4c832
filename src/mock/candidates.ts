import type { RE2JS } from 're2js'
import { type Field, type FileField, isFileField } from '../model/field.ts'
import { checkLimits } from '../model/limits.ts'
import type { Model } from '../model/model.ts'
import type { Json } from '../util/json.ts'
import { type MockFiles, storedMockFile } from './mock-files.ts'
import { datetimeFor, decimalFor, numberFor, placesOf, timeOfDay } from './numbers.ts'
import { PatternText } from './pattern-text.ts'
import type { FakerSource } from './random.ts'
import { TEXT_BY_TYPE, textByName } from './texts.ts'

/** Attempts with the hint of the field's name before the pattern generates texts itself. */
const NAMED_ATTEMPTS = 3
/** Attempts in which a text that matches a pattern stays alone, if the field accepts it. */
const PLAIN_ATTEMPTS = 2_000
/** Length that unbounded patterns are expanded to beyond the required minimum. */
const PATTERN_LENGTH = 16
/** Probability that a boolean has its default value. */
const DEFAULT_PROBABILITY = 0.85

/** Generates a candidate value for a field, a different one for each attempt. Undefined if an attempt fails. */
export type CandidateGenerator = (attempt: number) => Json | undefined

/**
 * The generator of a field's values from the current random numbers. Relations have none; they choose among existing records.
 *
 * @param files the files that file fields may have
 */
export function candidateGenerator(field: Field, model: Model, source: FakerSource, files: MockFiles): CandidateGenerator {
  const { type, limits } = field
  const { faker, random } = source
  if (field.faker !== undefined) return hintGenerator(field, source)
  switch (type.name) {
    case 'string':
    case 'text':
    case 'email':
    case 'url':
    case 'slug':
      return limits.choices === undefined ? textGenerator(field, model, source) : choiceGenerator(limits.choices, source)
    case 'password':
      return passwordGenerator(field, source)
    case 'choice':
      return choiceGenerator(limits.choices ?? [], source)
    case 'multichoice':
      return () => faker.helpers.arrayElements([...(limits.choices ?? [])], { min: field.required ? 1 : 0, max: 3 })
    case 'integer':
    case 'number':
      return (attempt) => numberFor(field, random, attempt)
    case 'decimal':
      return (attempt) => decimalFor(field, random, attempt)
    case 'boolean':
      return () =>
        typeof field.default === 'boolean' ? random.chance(DEFAULT_PROBABILITY) === field.default : random.chance(0.5)
    case 'date':
      return (attempt) => datetimeFor(field.name, random, attempt).slice(0, 10)
    case 'datetime':
      return (attempt) => datetimeFor(field.name, random, attempt)
    case 'time':
      return (attempt) => timeOfDay(random, attempt)
    case 'uuid':
      return () => faker.string.uuid()
    case 'json':
      return () => ({ [faker.word.noun()]: faker.word.adjective(), count: random.integer(0, 100), active: random.chance(0.5) })
    case 'file':
    case 'image':
      return isFileField(field) ? fileGenerator(field, model, source, files) : () => undefined
    case 'primarykey':
    case 'foreignkey':
    case 'one_to_one':
    case 'many_to_many':
      throw new Error(`No candidates for '${field.name}': relations and ids are not generated`)
    default: {
      const unknown: never = type.name
      throw new Error(`No mock data for the type ${String(unknown)}`)
    }
  }
}

/** Maximum number of files of a field, if it takes several. */
const MAX_FILES = 4

/** Files as a record would store them; `MockFiller` uploads them. */
function fileGenerator(field: FileField, model: Model, { random }: FakerSource, files: MockFiles): CandidateGenerator {
  const variants = files.count(field)
  const next = () => storedMockFile(files.of(model.key, field, random.integer(0, variants - 1)))
  if (variants === 0) return () => undefined
  if (!field.type.list) return next
  const max = Math.min(MAX_FILES, field.file.maxFiles)
  return () => Array.from({ length: random.integer(field.required ? 1 : 0, max) }, next)
}

/** Starts at a random choice and cycles through all. */
const choiceGenerator =
  (choices: readonly (string | number)[], { random }: FakerSource): CandidateGenerator =>
  (attempt) =>
    choices[(random.integer(0, choices.length - 1) + attempt) % choices.length]

function textGenerator(field: Field, model: Model, { faker, random }: FakerSource): CandidateGenerator {
  const { limits, type } = field
  const named = textByName(field.name, model.key)
  const byType = TEXT_BY_TYPE[type.name as keyof typeof TEXT_BY_TYPE]
  // Field types with a format of their own ignore the hint of the name.
  const generate = type.name === 'string' || type.name === 'text' ? (named ?? byType) : byType
  const text: CandidateGenerator = (attempt) => fitToLimits(distinct(generate(faker), attempt), field, { faker, random })
  const distinct = (base: string, attempt: number) =>
    attempt === 0 ? base : withNumber(base, type.name, random.integer(2, 10 ** Math.min(attempt + 2, 9)))
  if (limits.pattern === undefined) return text
  const byPattern = patternGenerator(limits.pattern, field, { faker, random })
  return (attempt) => (named !== undefined && attempt < NAMED_ATTEMPTS ? text(attempt) : byPattern(attempt))
}

/** Appends a number to make a text unique. */
function withNumber(text: string, type: string, number: number): string {
  if (type === 'email') return text.replace('@', `${number}@`)
  if (type === 'slug' || type === 'url') return `${text}-${number}`
  return /\s/.test(text) ? `${text} ${number}` : `${text}${number}`
}

/** Fits a text to the length limits, in characters: short texts are continued, long ones cut, keeping a number at the end. */
function fitToLimits(text: string, { limits, type }: Field, { faker }: FakerSource): string {
  const { min_length: min = 0, max_length: max = Infinity } = limits
  if (type.name === 'email') return text
  const gap = type.name === 'slug' || type.name === 'url' ? '-' : ' '
  let extended = text
  while (extended.length < min)
    extended += `${gap}${faker.lorem.words(Math.min(1_000, Math.ceil((min - extended.length) / 5))).replaceAll(' ', gap)}`
  const characters = [...extended]
  if (characters.length <= max) return extended
  const suffix = /[-\s]?\d*$/.exec(text)?.[0] ?? ''
  const shortened =
    characters
      .slice(0, Math.max(0, max - suffix.length))
      .join('')
      .replace(/[-\s]+$/, '') + suffix
  return [...shortened].length < min ? characters.slice(0, max).join('') : shortened.slice(0, max)
}

function patternGenerator(pattern: RE2JS, field: Field, source: FakerSource): CandidateGenerator {
  const { min_length: min = 0, max_length: max } = field.limits
  const texts = new PatternText(pattern)
  return (attempt) => {
    // Each length is exhausted before longer ones, since there may be few short texts and many longer ones.
    const longest = Math.min(max ?? Infinity, Math.max(min, PATTERN_LENGTH) + Math.floor(attempt / 100))
    const text = texts.generate(source.random, min, longest)
    const isEnough = text === undefined || (attempt < PLAIN_ATTEMPTS && storedForm(field, text) !== undefined)
    return isEnough ? text : surrounded(text, field, source, attempt)
  }
}

/**
 * A text around one that matches a pattern. A pattern matches anywhere in a value, so what it matches may be too short, or only a part of
 * an address. The attempts go through the places that the text may have, beginning with the text alone; each is checked like any candidate.
 */
function surrounded(text: string, { type, limits }: Field, { faker }: FakerSource, attempt: number): string | undefined {
  const filler = TEXT_BY_TYPE.slug(faker)
  switch (type.name) {
    case 'email':
      return inTurn(
        attempt,
        text,
        `${filler}${text}`,
        `${text}@example.com`,
        `${filler}.${text}@example.com`,
        `${text}.example.com`,
      )
    case 'url':
      return inTurn(
        attempt,
        ...[text, `${text}www.example.com/${filler}`, `${text}/${filler}`, `https://${text}`],
        ...[
          `https://www.example.com/${text}`,
          `https://${text}.example.com/${filler}`,
          `https://www.example.com/${filler}${text}`,
        ],
      )
    default: {
      const { min_length: min = 0, max_length: max = Infinity } = limits
      const free = Math.max(0, Math.min(max, Math.max(min, PATTERN_LENGTH)) - [...text].length)
      const more = type.name === 'slug' ? filler.padEnd(free, '-x').slice(0, free) : faker.string.alphanumeric(free)
      const half = Math.floor(more.length / 2)
      return inTurn(attempt, text, `${more}${text}`, `${text}${more}`, `${more.slice(0, half)}${text}${more.slice(half)}`)
    }
  }
}

const inTurn = (attempt: number, ...texts: readonly string[]): string | undefined => texts[attempt % texts.length]

function passwordGenerator(field: Field, { random, faker }: FakerSource): CandidateGenerator {
  const { limits } = field
  if (limits.pattern !== undefined) return patternGenerator(limits.pattern, field, { faker, random })
  const { min_length: min = 0, max_length: max = Infinity } = limits
  return () => faker.string.alphanumeric(Math.min(max, Math.max(min, 24)))
}

/** Converts the value from Faker to the field's type. */
function hintGenerator(field: Field, source: FakerSource): CandidateGenerator {
  const [group = '', method = ''] = field.faker?.split('.') ?? []
  const { faker, random } = source
  const groups = faker as unknown as Readonly<Record<string, Readonly<Record<string, () => unknown>> | undefined>>
  return (attempt) => {
    const generated = groups[group]?.[method]?.()
    const value = generated instanceof Date ? generated.toISOString() : generated
    switch (field.type.name) {
      case 'integer':
      case 'number':
        return field.type.name === 'integer' ? Math.round(Number(value)) : Number(value)
      case 'decimal':
        return Number(value).toFixed(placesOf(field))
      case 'boolean':
        return value as boolean
      case 'date':
        return String(value).slice(0, 10)
      case 'time':
        return String(value).slice(11, 19)
      case 'slug':
        return fitToLimits(distinctText(faker.helpers.slugify(String(value)).toLowerCase(), attempt), field, source)
      case 'multichoice':
        return [String(value)]
      case 'json':
        return value as Json
      default:
        return fitToLimits(distinctText(String(value), attempt), field, source)
    }
  }

  /** The hint is kept as long as possible; a number is appended only to make values distinct. */
  function distinctText(text: string, attempt: number): string {
    if (!field.unique || attempt < NAMED_ATTEMPTS) return text
    return withNumber(text, field.type.name, random.integer(2, 10 ** Math.min(attempt, 9)))
  }
}

/** The value in stored form, if the field accepts it. */
export function storedForm(field: Field, candidate: Json | undefined): Json | undefined {
  if (candidate === undefined || candidate === '') return undefined
  const reading = field.type.read(candidate)
  return reading.ok && checkLimits(reading.value, field.limits).length === 0 ? reading.value : undefined
}
