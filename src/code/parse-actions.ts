import Joi from 'joi'
import type { AccessRule } from '../access/access-rules.ts'
import { Condition } from '../access/condition.ts'
import { type FaultRule, Faults } from '../config/fault.ts'
import { SCHEMA_REFERENCE, validateShape } from '../config/shape.ts'
import type { Definition, Path, Source } from '../config/source.ts'
import { ACCESS_ACTIONS, ACTION_NAME, FIELD_TYPE_NAMES } from '../model/definition.ts'
import { type Field, generatedDefault, isSettable } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import { readDefault } from '../model/parse-field.ts'
import type { ActionNames, Registry } from '../model/registry.ts'
import { ACTION_TARGETS, type ModelAction, ModelActions, type SetSource } from '../records/actions.ts'
import { isObject, type Json } from '../util/json.ts'
import { didYouMean, meantOrKnown } from '../util/suggest.ts'
import { generatedTitle } from '../views/generate.ts'
import type { ActionAccess, ActionDefinition } from './define-action.ts'
import { accessSchema, checkPermission } from './parse-access.ts'
import { parseInput } from './parse-input.ts'

/** Schema of an action; the fields of its input and its values are parsed one by one. */
export const actionSchema = Joi.object<ActionDefinition>({
  ...SCHEMA_REFERENCE,
  model: Joi.string().required(),
  name: Joi.string()
    .pattern(ACTION_NAME)
    .custom((name: string, helpers) => (name in Object.prototype ? helpers.error('name.reserved') : name))
    .max(100)
    .required()
    .messages({
      'string.pattern.base':
        "'{{#value}}' cannot be the name of an action; use lower-case letters, digits and single underscores",
      'name.reserved': "'{{#value}}' cannot be the name of an action, since every JavaScript object has a member of that name",
    }),
  title: Joi.string(),
  icon: Joi.string(),
  tone: Joi.valid('default', 'danger'),
  confirm: Joi.string(),
  on: Joi.valid(...ACTION_TARGETS),
  when: Joi.string(),
  access: accessSchema('authenticated', 'superuser'),
  input: Joi.array(),
  set: Joi.object(),
  run: Joi.function(),
})

/** Names of the actions of definitions, also of those that have faults elsewhere. */
export function actionNames(definitions: readonly Definition[]): ActionNames {
  const names = new Map<string, string[]>()
  for (const { value } of definitions) {
    if (!isObject(value) || typeof value.model !== 'string' || typeof value.name !== 'string') continue
    const { model, name } = value
    const key = model.toLowerCase()
    const own = names.get(key) ?? []
    if (ACTION_NAME.test(name) && !isTaken(name) && !own.includes(name)) names.set(key, [...own, name])
  }
  return names
}

/** True for the actions that every model has. */
const isTaken = (name: string): boolean => ACCESS_ACTIONS.some((each) => each === name)

/**
 * Parses the actions of a project. Faulty ones are left out.
 *
 * @param unclear keys of models that are faulty
 */
export function parseActions(
  definitions: readonly Definition[],
  registry: Registry,
  unclear: ReadonlySet<string>,
): { actions: ModelActions; faults: Faults } {
  const faults = new Faults('code/invalid')
  const all: ModelAction[] = []
  for (const { value: written, source } of definitions) {
    const { value, faults: shape } = validateShape(actionSchema, written, source, { rule: () => 'code/invalid' })
    faults.addAll(shape.list)
    if (value === undefined) continue
    const action = new ActionParser(value, { source, registry, unclear }, faults).parse()
    if (action === undefined) continue
    const { model, name } = action
    const twin = all.find((each) => each.model === model && each.name === name)
    if (twin !== undefined || isTaken(name)) {
      const { file, line } = twin?.source.at(['name']) ?? {}
      const taken = twin === undefined ? 'is one that every model has' : `is already defined (${file}:${line})`
      const message = `The action '${name}' of ${model.name} ${taken}; choose another name`
      faults.add(source, ['name'], message, { rule: 'code/name-taken' })
      continue
    }
    all.push(action)
  }
  return { actions: new ModelActions(all), faults }
}

interface ActionPlace {
  readonly source: Source
  readonly registry: Registry
  readonly unclear: ReadonlySet<string>
}

class ActionParser {
  readonly #written: ActionDefinition
  readonly #source: Source
  readonly #registry: Registry
  readonly #unclear: ReadonlySet<string>
  readonly #faults: Faults

  constructor(written: ActionDefinition, { source, registry, unclear }: ActionPlace, faults: Faults) {
    this.#written = written
    this.#source = source
    this.#registry = registry
    this.#unclear = unclear
    this.#faults = faults
  }

  /** @returns undefined if the model does not exist */
  parse(): ModelAction | undefined {
    const { name, title, icon, tone = 'default', confirm, on = 'selection', when, set = {}, run } = this.#written
    const model = this.#model()
    if (model === undefined) return undefined
    const place = { source: this.#source, path: ['input'], registry: this.#registry, unclear: this.#unclear }
    const input = parseInput(`${model.name}.${name}`, this.#written.input ?? [], place, this.#faults)
    const setsFields = Object.keys(set).length > 0
    if (!setsFields && run === undefined) {
      this.#fault([], `The action '${name}' does nothing; name the fields that it sets under 'set', or write 'run' in TypeScript`)
    }
    if (on === 'model' && (setsFields || when !== undefined || run === undefined)) {
      this.#fault(['on'], "An action on the model has no record, so it takes neither 'set' nor 'when', but 'run'")
    }
    const { file, line } = this.#source.at([])
    return {
      ...{ model, name, title: title ?? generatedTitle(name), icon, tone, confirm, on, input },
      when: when === undefined ? undefined : this.#condition(when, model),
      access: this.#access(),
      run: run && { file, line, name, call: run },
      source: this.#source,
      set: new Map(Object.entries(set).flatMap(([field, value]) => this.#valueOf(field, value, model, input))),
    }
  }

  #fault(path: Path, message: string, rule?: FaultRule): void {
    this.#faults.add(this.#source, path, message, rule && { rule })
  }

  #model(): Model | undefined {
    const wanted = this.#written.model
    const model = this.#registry.public.find(({ name }) => name === wanted)
    const known = this.#registry.public.map(({ name }) => name)
    if (model === undefined)
      this.#fault(['model'], `There is no model '${wanted}'${meantOrKnown(wanted, known)}`, 'code/unknown-model')
    return model
  }

  #condition(text: string, model: Model): ModelAction['when'] {
    try {
      return { text, condition: Condition.compile(text, model, this.#registry) }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.#fault(['when'], `The condition cannot be used: ${reason}`, 'code/action-condition')
      return undefined
    }
  }

  #access(): AccessRule | undefined {
    const written: ActionAccess | undefined = this.#written.access
    if (written === undefined) return undefined
    if (typeof written === 'string') return { kind: written }
    if ('group' in written) return { kind: 'group', group: written.group }
    checkPermission(written, this.#registry, this.#source, this.#faults)
    return { kind: 'permission', codename: written.permission }
  }

  #valueOf(name: string, written: unknown, model: Model, input: Model): [string, SetSource][] {
    const path = ['set', name]
    const field = model.fields.get(name)
    if (field === undefined) {
      const message = `Model '${model.name}' has no field '${name}'${didYouMean(name, model.fields.keys())}`
      this.#faults.add(this.#source, path, message, { rule: 'code/unknown-field', part: 'key' })
      return []
    }
    if (!isSettable(field)) {
      this.#fault(path, `'${name}' is set by the server, so an action cannot set it; leave it out`)
      return []
    }
    if (
      isObject(written) &&
      typeof written.input === 'string' &&
      Object.keys(written).length === 1 &&
      // The value of a JSON field may look so itself.
      (field.type.name !== 'json' || input.fields.has(written.input))
    ) {
      const known = [...input.fields.keys()]
      if (!known.includes(written.input))
        this.#fault(path, `There is no input '${written.input}'${meantOrKnown(written.input, known)}`, 'code/unknown-field')
      return [[name, { kind: 'input', input: written.input }]]
    }
    const generated = generatorOf(field, written)
    if (generated !== undefined) return [[name, { kind: 'generated', generated }]]
    if (written === null || written === undefined) {
      if (field.required) this.#fault(path, `'${name}' is required, so an action cannot empty it`)
      return [[name, { kind: 'value', value: field.type.list ? [] : null }]]
    }
    const reading = readDefault(field, written)
    if (!reading.ok) this.#fault(path, `The value of '${name}' ${reading.problem}`)
    return reading.ok ? [[name, { kind: 'value', value: written as Json }]] : []
  }
}

/** As the default of the field would be generated; `now` is also the present day. */
function generatorOf({ type, relation }: Field, written: unknown): ReturnType<typeof generatedDefault> {
  const known = FIELD_TYPE_NAMES.find((each) => each === type.name)
  if (known === undefined || written === undefined || written === null) return undefined
  const value = (known === 'date' && written === 'now' ? 'today' : written) as Json
  return generatedDefault({ type: known, default: value, ...(relation === undefined ? {} : { model: relation.target }) })
}
