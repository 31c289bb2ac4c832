import { Environment, type ParseResult } from '@marcbachmann/cel-js'
import type { Model } from '../model/model.ts'
import type { Json, JsonObject } from '../util/json.ts'

/** A cross-field condition, ready to be held against a merged record. */
export interface Rule {
  readonly field: string
  readonly message: string
  holds(self: Readonly<Record<string, unknown>>): boolean
}

const environment = new Environment().registerVariable('self', 'map')

/**
 * Compiles a CEL expression over `self` (Common Expression Language, as in Kubernetes validation rules).
 * A rule that cannot be evaluated for a record (it compares null with a number, say) does not hold: it fails closed.
 *
 * @throws {Error} saying what is wrong with the expression
 */
export function compileRule({ rule, field, message }: { rule: string; field: string; message: string }): Rule {
  const program = parse(rule)
  return {
    field,
    message,
    holds(self) {
      try {
        return program({ self }) === true
      } catch {
        return false
      }
    },
  }
}

function parse(rule: string): ParseResult {
  const program = (() => {
    try {
      return environment.parse(rule)
    } catch (error) {
      throw new Error(summary(error))
    }
  })()
  const checked = program.check()
  if (!checked.valid) throw new Error(summary(checked.error))
  if (checked.type !== 'bool' && checked.type !== 'dyn')
    throw new Error(`it gives a ${checked.type}, where true or false is meant`)
  return program
}

function summary(error: unknown): string {
  if (error instanceof Error && 'summary' in error && typeof error.summary === 'string') return error.summary
  return error instanceof Error ? (error.message.split('\n')[0] ?? error.message) : String(error)
}

/** A record as rules see it: every field of the model there, integers as CEL integers, what was never set null. */
export function ruleSubject(model: Model, record: JsonObject): Record<string, unknown> {
  return Object.fromEntries([...model.fields.values()].map(({ name, type }) => [name, celValue(record[name] ?? null, type.name)]))
}

function celValue(value: Json, type: string): unknown {
  if (
    Number.isInteger(value) &&
    (type === 'integer' || type === 'primarykey' || type === 'foreignkey' || type === 'one_to_one')
  ) {
    return BigInt(value as number)
  }
  return type === 'many_to_many' && Array.isArray(value) ? value.map((id) => BigInt(Number(id))) : value
}
