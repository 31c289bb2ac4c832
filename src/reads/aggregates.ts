import type { AccessRules } from '../access/access-rules.ts'
import type { Actor } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Field } from '../model/field.ts'
import { type AggregateGroup, type AggregateRequest, MAX_GROUPS, parseAggregateRequest } from '../query/aggregate.ts'
import type { ReadOptions, Store } from '../store/store.ts'
import { decimalQuotient } from '../util/decimal.ts'

/** Digits behind the point that the average of decimals has beyond their sum. */
const FURTHER_PLACES = 6

/** Totals of groups of records on behalf of an actor. */
export class Aggregates {
  readonly #access: AccessRules
  readonly #store: Store

  constructor(access: AccessRules, store: Store) {
    this.#access = access
    this.#store = store
  }

  /**
   * Returns the groups in their envelope, as JSON.
   *
   * @param query query string without the question mark
   * @param options a signal that ends the read
   * @throws {AppError} MODEL_NOT_FOUND, FORBIDDEN, INVALID_REQUEST
   */
  async aggregate(actor: Actor, modelKey: string, query: string, options?: ReadOptions): Promise<string> {
    const model = this.#access.modelFor(actor, 'view', modelKey)
    const request = parseAggregateRequest(new URLSearchParams(query), model, this.#access.registry)
    const { filters } = this.#access.restricted(actor, model, { filters: request.plan.filters, sort: [] })
    const groups = await this.#store.aggregate(model.key, { ...request.plan, filters }, options)
    if (groups === undefined) throw tooManyGroups()
    return `{"data":[${groups.map((group) => groupJson(group, request)).join(',')}],"total":${groups.length}}`
  }
}

const tooManyGroups = (): AppError =>
  new AppError('INVALID_REQUEST', {
    group_by: [`There are more than ${MAX_GROUPS} groups; filter the records, or group them by another field`],
  })

function groupJson(group: AggregateGroup, { plan, groupBy, countsRecords, measures }: AggregateRequest): string {
  const key = groupBy.map(({ name }, place) => member(name, JSON.stringify(group.key[place] ?? null)))
  const members = [member('group', objectJson(key))]
  if (countsRecords) members.push(member('count', String(group.count)))
  const sumOf = ({ name }: Field) => group.sums[plan.sums.indexOf(name)] ?? { sum: '0', present: 0 }
  const rangeOf = (field: Field) => group.ranges[plan.ranges.findIndex((range) => range.field === field.name)]
  const values = {
    sum: (field: Field) => numeralJson(field, sumOf(field).sum),
    avg: (field: Field) => averageJson(field, sumOf(field)),
    min: (field: Field) => JSON.stringify(rangeOf(field)?.min ?? null),
    max: (field: Field) => JSON.stringify(rangeOf(field)?.max ?? null),
  }
  for (const [measure, jsonOf] of Object.entries(values)) {
    const fields = measures[measure as keyof typeof values]
    if (fields.length === 0) continue
    members.push(member(measure, objectJson(fields.map((field) => member(field.name, jsonOf(field))))))
  }
  return objectJson(members)
}

/** A decimal is text; other numerals are JSON numbers with every digit. A sum beyond all doubles is null. */
function numeralJson({ type }: Field, numeral: string): string {
  if (type.name === 'decimal') return JSON.stringify(numeral)
  return Number.isFinite(Number(numeral)) ? numeral : 'null'
}

function averageJson(field: Field, { sum, present }: AggregateGroup['sums'][number]): string {
  if (present === 0) return 'null'
  if (field.type.name === 'decimal') return JSON.stringify(decimalQuotient(sum, present, FURTHER_PLACES))
  return JSON.stringify(Number(sum) / present)
}

const member = (name: string, json: string): string => `${JSON.stringify(name)}:${json}`

const objectJson = (members: readonly string[]): string => `{${members.join(',')}}`
