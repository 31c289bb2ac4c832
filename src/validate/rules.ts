import { Environment, type ParseResult, serialize } from '@marcbachmann/cel-js'
import type { Model } from '../model/model.ts'
import { compilePattern } from '../model/pattern.ts'
import type { Json, JsonObject } from '../util/json.ts'
import { didYouMean } from '../util/suggest.ts'

/** A cross-field condition, ready to be held against a merged record. */
export interface Rule {
  readonly field: string
  readonly message: string
  holds(self: Readonly<Record<string, unknown>>): boolean
}

/**
 * Compiles CEL expressions over `self`, a record of one model (Common Expression Language, as in Kubernetes validation rules).
 * A rule that cannot be evaluated for a record (it compares null with a number, say) does not hold: it fails closed.
 */
export class RuleCompiler {
  readonly #model: Model
  readonly #environment: Environment

  constructor(model: Model) {
    this.#model = model
    const schema = Object.fromEntries([...model.fields.keys()].map((name) => [name, 'dyn']))
    this.#environment = new Environment()
      .registerVariable({ name: 'self', schema })
      .registerFunction(`string.${LINEAR_MATCHES}(string): bool`, (text: string, pattern: string) =>
        compilePattern(pattern).test(text),
      )
  }

  /** @throws {Error} saying what is wrong with the expression */
  compile({ rule, field, message }: { rule: string; field: string; message: string }): Rule {
    const program = this.#parse(rule)
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

  #parse(rule: string): ParseResult {
    const written = this.#attempt(() => this.#environment.parse(rule))
    useLinearMatches(written.ast)
    const program = this.#attempt(() => this.#environment.parse(serialize(written.ast)))
    const checked = program.check()
    if (!checked.valid) throw new Error(this.#summary(checked.error))
    if (checked.type !== 'bool' && checked.type !== 'dyn')
      throw new Error(`it gives a ${checked.type}, where true or false is meant`)
    return program
  }

  #attempt<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw new Error(this.#summary(error))
    }
  }

  #summary(error: unknown): string {
    if (!(error instanceof Error)) return String(error)
    const summary = 'summary' in error && typeof error.summary === 'string' ? error.summary : (error.message.split('\n')[0] ?? '')
    const [, unknown] = /^No such key: (.*)$/.exec(summary) ?? []
    if (unknown === undefined) return summary
    return `Model '${this.#model.name}' has no field '${unknown}'${didYouMean(unknown, this.#model.fields.keys())}`
  }
}

/** CEL's own `matches` runs on an engine that some patterns can hang; this one runs in linear time. */
const LINEAR_MATCHES = 'matchesInLinearTime'

/**
 * Renames every call of `matches` in an expression, and compiles the patterns that are written out.
 *
 * @throws {Error} when a pattern cannot be used
 */
function useLinearMatches(node: unknown): void {
  if (Array.isArray(node)) {
    for (const part of node) useLinearMatches(part)
  } else if (typeof node === 'object' && node !== null && 'op' in node && 'args' in node) {
    const { op, args } = node
    if (op === 'rcall' && Array.isArray(args) && args[0] === 'matches') {
      args[0] = LINEAR_MATCHES
      const [pattern] = args[2] as readonly { op: string; args: unknown }[]
      if (pattern?.op === 'value' && typeof pattern.args === 'string') compilePattern(pattern.args)
    }
    useLinearMatches(args)
  }
}

/** A record as rules see it: every field of the model there, integers as CEL integers, what was never set null. */
export function ruleSubject(model: Model, record: JsonObject): Record<string, unknown> {
  return Object.fromEntries([...model.fields.values()].map(({ name, type }) => [name, celValue(record[name] ?? null, type.name)]))
}

function celValue(value: Json, type: string): unknown {
  const whole = type === 'integer' || type === 'primarykey' || type === 'foreignkey' || type === 'one_to_one'
  if (whole && Number.isInteger(value)) return BigInt(value as number)
  return type === 'many_to_many' && Array.isArray(value) ? value.map((id) => BigInt(Number(id))) : value
}
