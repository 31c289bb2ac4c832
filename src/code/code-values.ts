import type { Field } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import type { Json } from '../util/json.ts'
import { readValue } from '../validate/record.ts'

/** Values as code sets them: those of a request, and ids of records that the transaction creates. */
export type CodeData = Readonly<Record<string, unknown>>

/** Stands for the id of a record that the transaction will create. */
export class NewRecordId {
  readonly #model: Model
  readonly #transaction: object

  constructor(model: Model, transaction: object) {
    this.#model = model
    this.#transaction = transaction
  }

  /** @throws {TypeError} for a field that does not refer to records of the model, and in another transaction */
  expectFits(name: string, field: Field | undefined, transaction: object): void {
    if (this.#transaction !== transaction) throw new TypeError(`${name} has the id of a record that another transaction creates`)
    if (field !== undefined && field.relation?.target !== this.#model.key)
      throw new TypeError(`${name} refers to no ${this.#model.name}`)
  }

  /** @throws {Error} the id is not known before the commit */
  toJSON(): never {
    throw new Error(
      'The id of a record that the transaction creates is not known before the commit; use it as a value of a record',
    )
  }
}

export const isNewId = (value: unknown): boolean => value instanceof NewRecordId

/** Values that the code of a transaction writes, as its own copy. */
export const ownData = (model: Model, data: CodeData, transaction: object): CodeData =>
  Object.fromEntries(
    Object.entries(data ?? {}).map(([name, value]) => [name, fittingValue(name, model.fields.get(name), value, transaction)]),
  )

/** @throws {TypeError} for the id of a new record where the field cannot have it, and for what is no JSON */
export function fittingValue(name: string, field: Field | undefined, value: unknown, transaction: object): unknown {
  if (value instanceof NewRecordId) value.expectFits(name, field, transaction)
  else if (Array.isArray(value)) {
    for (const item of value) if (item instanceof NewRecordId) item.expectFits(name, field, transaction)
  }
  return ownJson(value)
}

/**
 * A value of code as JSON, which code cannot change afterwards. A Date becomes its text; ids of records to come stay.
 *
 * @throws {TypeError} for what is no JSON
 */
export function ownJson(value: unknown): unknown {
  if (value === undefined || value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (isNewId(value) || typeof value === 'number') return value
  if (Array.isArray(value)) return Array.from(value, (item: unknown) => ownJson(item ?? null))
  const text = JSON.stringify(value)
  if (text === undefined) throw new TypeError(`A ${typeof value} is no value of a record`)
  return JSON.parse(text)
}

/** A value as a record has it; empty for the id of a record to come. */
export function shownValue(field: Field, raw: unknown): Json {
  if (isNewId(raw)) return null
  const plain = Array.isArray(raw) ? raw.filter((item) => !isNewId(item)) : raw
  return readValue(field, plain).value
}

/** A record for code: without secrets, and its own copy, so that a change of it has no effect. */
export const copyOf = (model: Model, record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  ownCopy(model, { ...record })

/** The same of values that are a copy already. */
export function ownCopy(model: Model, copy: Record<string, unknown>): Readonly<Record<string, unknown>> {
  for (const name in copy) {
    const value = copy[name]
    if (typeof value === 'object' && value !== null) copy[name] = isIds(value) ? [...value] : structuredClone(value)
  }
  for (const name of model.secrets) delete copy[name]
  return Object.freeze(copy)
}

const isIds = (value: object): value is readonly number[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'number')
