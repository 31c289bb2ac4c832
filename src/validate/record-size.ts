import type { Model } from '../model/model.ts'
import type { Json } from '../util/json.ts'
import type { FieldIssues } from './issues.ts'

type Values = Readonly<Record<string, Json>>

/** The values of a record that is to be stored. */
export interface SizedRecord {
  readonly model: Model
  /** Every writable field, in stored form. */
  readonly values: Values
  /** The same of the stored record, if there is one. */
  readonly former?: () => Values
  /** The fields that the request sets. */
  readonly set: Iterable<string>
}

/**
 * Adds an error to the largest field that a request sets, if the record would be larger than `maxBytes`. A stored record may be larger already:
 * then it must not grow.
 *
 * The size of a record is the number of bytes of its writable fields as JSON in UTF-8. Secrets are stored as hashes, and not counted.
 */
export function checkRecordSize({ model, values, former, set }: SizedRecord, maxBytes: number, issues: FieldIssues): void {
  if (mostBytes(values) <= maxBytes) return
  const bytes = bytesOf(model, values)
  if (bytes <= maxBytes || (former !== undefined && bytes <= bytesOf(model, former()))) return
  let largest = { name: '', bytes: -1 }
  for (const name of set) {
    const own = bytesOfValue(values[name] ?? null)
    if (own > largest.bytes && !model.secrets.includes(name)) largest = { name, bytes: own }
  }
  const { name } = largest
  issues.add(name, `${name} makes the ${model.name} too large: ${bytes} bytes as JSON, and max_record_bytes is ${maxBytes}`)
}

function bytesOf({ secrets }: Model, values: Values): number {
  return bytesOfValue(secrets.length === 0 ? values : withoutNames(values, secrets))
}

const withoutNames = (values: Values, names: readonly string[]): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)))

const bytesOfValue = (value: Json): number => Buffer.byteLength(JSON.stringify(value))

/** Maximum number of bytes of a UTF-16 code unit in a JSON text: an escape such as `\u0001`. */
const MOST_OF_UNIT = 6
/** More than a number has. */
const MOST_OF_NUMBER = 32

/** An upper bound of the size, which costs little: nearly all records are far below the limit. */
function mostBytes(values: Values): number {
  let bytes = 2
  for (const name in values) {
    const value = values[name]
    bytes += MOST_OF_UNIT * name.length + 4
    if (typeof value === 'string') bytes += MOST_OF_UNIT * value.length + 2
    else if (typeof value === 'object' && value !== null) bytes += MOST_OF_UNIT * JSON.stringify(value).length
    else bytes += MOST_OF_NUMBER
  }
  return bytes
}
