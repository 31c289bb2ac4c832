import { relative } from 'node:path'
import { callSiteOf } from '../config/call-site.ts'
import { Faults } from '../config/fault.ts'
import { type Definition, within } from '../config/source.ts'
import type { Field } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import { isObject } from '../util/json.ts'
import { didYouMean } from '../util/suggest.ts'
import type { ModelHooks } from './define.ts'

/** A function of the project, with its place for messages. */
export interface CodeFunction<F> {
  /** Relative to the folder of the project. */
  readonly file: string
  readonly line: number
  /** `beforeCreate`, or `compute.total`. */
  readonly name: string
  readonly call: F
}

type HookRecord = Readonly<Record<string, unknown>>
type AnyHooks = Required<ModelHooks<HookRecord, HookRecord>>

/** Functions that run for each record of a write, or after its commit. */
type Stage = Exclude<keyof AnyHooks, 'compute'>

/** What one file does with the writes of a model. */
export type HookSet = { readonly [S in Stage]: CodeFunction<AnyHooks[S]> | undefined } & {
  readonly compute: readonly { readonly field: Field; readonly code: CodeFunction<(record: HookRecord) => unknown> }[]
}

/** The hooks of a project by the key of the model, in the order of file names. */
export type ProjectHooks = ReadonlyMap<string, readonly HookSet[]>

const STAGES: readonly Stage[] = ['beforeCreate', 'beforeUpdate', 'beforeDelete', 'validate', 'afterCommit']

/** The key of the model that a definition names; undefined without a name. */
const modelKeyOf = ({ value }: Definition): string | undefined =>
  isObject(value) && typeof value.model === 'string' ? value.model.toLowerCase() : undefined

const computeOf = ({ value }: Definition): Readonly<Record<string, unknown>> =>
  isObject(value) && isObject(value.hooks) && isObject(value.hooks.compute) ? value.hooks.compute : {}

/** Names of the fields that hooks compute, by the key of the model. */
export function computedFields(definitions: readonly Definition[]): ReadonlyMap<string, ReadonlySet<string>> {
  const computed = new Map<string, Set<string>>()
  for (const definition of definitions) {
    const key = modelKeyOf(definition) ?? ''
    const names = computed.get(key) ?? new Set()
    computed.set(key, names)
    for (const name of Object.keys(computeOf(definition))) names.add(name)
  }
  return computed
}

/**
 * Compiles the hooks of a project. Faulty ones are left out.
 *
 * @param folder of the project
 * @param unclear keys of models that are faulty, so that hooks which name them are follow-on errors
 */
export function parseHooks(
  folder: string,
  definitions: readonly Definition[],
  registry: Registry,
  unclear: ReadonlySet<string>,
): { hooks: ProjectHooks; faults: Faults } {
  const faults = new Faults('code/invalid')
  const hooks = new Map<string, HookSet[]>()
  for (const definition of definitions) {
    const { value, source } = definition
    const key = modelKeyOf(definition)
    if (key === undefined || !isObject(value) || !isObject(value.hooks)) {
      faults.add(source, [], 'A file in hooks/ exports what defineHooks returns: export default defineHooks(…)')
      continue
    }
    const model = registry.get(key)
    if (model === undefined || model.internal) {
      if (unclear.has(key) || unclear.has('')) continue
      const guess = didYouMean(
        key,
        registry.public.map((each) => each.key),
      )
      faults.add(source, [], `There is no model '${String(value.model)}'${guess}`, { rule: 'code/unknown-model' })
      continue
    }
    const own = new HookFile(folder, definition, model, hooks.get(key) ?? [], faults)
    hooks.set(key, [...(hooks.get(key) ?? []), own.read(value.hooks)])
  }
  return { hooks, faults }
}

/** Reads the hooks of one file. */
class HookFile {
  readonly #folder: string
  readonly #definition: Definition
  readonly #model: Model
  readonly #earlier: readonly HookSet[]
  readonly #faults: Faults

  constructor(folder: string, definition: Definition, model: Model, earlier: readonly HookSet[], faults: Faults) {
    this.#folder = folder
    this.#definition = definition
    this.#model = model
    this.#earlier = earlier
    this.#faults = faults
  }

  read(hooks: Readonly<Record<string, unknown>>): HookSet {
    for (const name of Object.keys(hooks)) {
      if (name !== 'compute' && !(STAGES as readonly string[]).includes(name)) {
        this.#fault(`There is no hook '${name}'${didYouMean(name, [...STAGES, 'compute'])}`)
      }
    }
    const stages = Object.fromEntries(STAGES.map((stage) => [stage, this.#function(stage, hooks[stage])]))
    return { ...(stages as unknown as HookSet), compute: this.#compute(hooks.compute) }
  }

  #compute(written: unknown): HookSet['compute'] {
    if (written === undefined) return []
    if (!isObject(written)) {
      this.#fault('compute must be an object of functions by field')
      return []
    }
    return Object.entries(written).flatMap(([name, value]) => {
      const field = this.#model.fields.get(name)
      const code = this.#function(`compute.${name}`, value)
      const problem = this.#problemOf(name, field)
      if (problem !== undefined) this.#fault(problem, 'code/unknown-field')
      return problem !== undefined || field === undefined || code === undefined
        ? []
        : [{ field, code: code as CodeFunction<(record: HookRecord) => unknown> }]
    })
  }

  #problemOf(name: string, field: Field | undefined): string | undefined {
    const model = this.#model
    if (field === undefined) {
      return `compute names the field '${name}', which ${model.name} does not have${didYouMean(name, model.fields.keys())}`
    }
    if (field.system) return `compute cannot set '${name}': the server sets it`
    if (field.type.secret) return `compute cannot set '${name}': it is secret`
    const isTaken = this.#earlier.some(({ compute }) => compute.some((each) => each.field.name === name))
    return isTaken ? `Another file computes '${name}' of ${model.name}; keep one of the two` : undefined
  }

  #function<F>(name: string, value: unknown): CodeFunction<F> | undefined {
    if (value === undefined) return undefined
    if (typeof value !== 'function') {
      this.#fault(`${name} must be a function`)
      return undefined
    }
    const site = callSiteOf(this.#definition.value)
    const { file, line } = this.#definition.source.at([])
    return {
      file: site === undefined ? file : relative(this.#folder, site.file),
      line: site?.line ?? line,
      name,
      call: value as F,
    }
  }

  #fault(message: string, rule?: 'code/unknown-field'): void {
    this.#faults.add(within(this.#definition.source, []), [], message, rule === undefined ? {} : { rule })
  }
}
