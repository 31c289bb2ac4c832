import { Faults } from '../config/fault.ts'
import type { Definition, Path, Source, TextChange } from '../config/source.ts'
import { isObject } from '../util/json.ts'
import { didYouMean, meantOrKnown } from '../util/suggest.ts'
import { hasDefault } from './field.ts'
import type { Model } from './model.ts'
import { formerNameProblem, type ParseOptions, parseModel } from './parse-model.ts'
import { type ActionNames, Registry } from './registry.ts'
import { namedReferrers } from './reverse-relations.ts'

/** Built-in models. A project may replace those in `public`; the names of the others are reserved. */
interface BuiltInModels {
  readonly public: readonly Definition[]
  /** Public models that a project can neither replace nor extend. */
  readonly fixed?: readonly Definition[]
  readonly internal: readonly Definition[]
  /** Fields that the server sets, also of a model of the project that replaces a built-in one. */
  readonly serverSet?: ParseOptions['serverSet']
  /** Fields of public models that are left empty by null only, likewise. */
  readonly explicit?: ParseOptions['explicit']
}

/** A model with its source. */
export interface DefinedModel {
  readonly model: Model
  readonly definition: Definition
  /** Names of faulty fields. */
  readonly faultyFields: ReadonlySet<string>
}

/**
 * Builds the registry from the built-in models and those of the project. Faulty models are left out, so that views can still be
 * checked.
 *
 * @param computed the fields of the project's own models that its code computes
 * @param actions the actions of the project
 * @returns `defined` are the project's own models, in the order of files; `unclear` the keys of models that were left out or are
 *   defined twice, so that faults in references to them are follow-on errors. A model without a valid name has the key ''.
 */
export function buildRegistry(
  definitions: readonly Definition[],
  builtIn: BuiltInModels,
  computed?: ParseOptions['computed'],
  actions?: ActionNames,
): { registry: Registry; defined: readonly DefinedModel[]; unclear: ReadonlySet<string>; faults: Faults } {
  const unclear = new Set<string>()
  const faults = new Faults('model/invalid')
  const entries = new Map<string, DefinedModel>()
  for (const written of definitions) {
    const definition = withBaseFields(written, builtIn.public, faults)
    if (definition === undefined) {
      unclear.add('')
      continue
    }
    const parsed = parseModel(definition, { serverSet: builtIn.serverSet, explicit: builtIn.explicit, computed })
    faults.addAll(parsed.faults.list)
    const { name, fields } = isObject(definition.value) ? definition.value : {}
    const key = writtenKey(name)
    if (parsed.model === undefined || key === '' || !Array.isArray(fields)) unclear.add(key)
    if (parsed.model === undefined) continue
    const existing = entries.get(parsed.model.key)
    if (existing !== undefined) {
      unclear.add(parsed.model.key)
      const { file, line } = existing.definition.source.at([])
      faults.add(
        definition.source,
        ['name'],
        `There is already a model '${existing.model.name}' (${file}:${line}); names must differ in more than case`,
      )
    } else {
      entries.set(parsed.model.key, { model: parsed.model, definition, faultyFields: parsed.faultyFields })
    }
  }
  const ownModels = [...entries.values()]
  const added = [
    ...addBuiltIn(entries, builtIn, faults),
    ...addReserved(entries, builtIn.fixed ?? [], {}, faults),
    ...addReserved(entries, builtIn.internal, { internal: true }, faults),
  ]
  const own = [...entries.values()].filter((entry) => !added.includes(entry))
  const ordered = [...added, ...own]
  checkRelations(entries, unclear, faults)
  checkFormerKeys(ownModels, entries, faults)
  const registry = new Registry(
    ordered.map((entry) => entry.model),
    actions,
  )
  checkReverseNames(ownModels, registry, faults)
  return { registry, defined: ownModels, unclear, faults }
}

/** The key of a faulty model, from its name as written; empty if it has no valid name. */
const writtenKey = (name: unknown): string => (typeof name === 'string' && /^\w+$/.test(name) ? name.toLowerCase() : '')

/** Adds the models that a project may replace. */
function addBuiltIn(entries: Map<string, DefinedModel>, builtIn: BuiltInModels, faults: Faults): DefinedModel[] {
  return builtIn.public.map((definition) => {
    const base = builtInModel(definition, { serverSet: builtIn.serverSet, explicit: builtIn.explicit })
    const extended = entries.get(base.key)
    if (extended !== undefined) checkExtension(extended, base, faults)
    const entry = extended ?? { model: base, definition, faultyFields: NONE }
    entries.set(base.key, entry)
    return entry
  })
}

/** Adds models whose names are reserved. */
function addReserved(
  entries: Map<string, DefinedModel>,
  definitions: readonly Definition[],
  options: ParseOptions,
  faults: Faults,
): DefinedModel[] {
  const kind = options.internal === true ? 'an internal' : 'a built-in'
  return definitions.map((definition) => {
    const entry = { model: builtInModel(definition, options), definition, faultyFields: NONE }
    const taken = entries.get(entry.model.key)
    if (taken !== undefined) {
      faults.add(taken.definition.source, ['name'], `'${taken.model.name}' is reserved for ${kind} model; choose another name`)
    }
    entries.set(entry.model.key, entry)
    return entry
  })
}

const NONE: ReadonlySet<string> = new Set()

/** Built-in models by their definitions, which are constants. */
const parsedBuiltIn = new WeakMap<Definition, Model>()

function builtInModel(definition: Definition, options: ParseOptions): Model {
  const known = parsedBuiltIn.get(definition)
  if (known !== undefined) return known
  const { model, faults } = parseModel(definition, options)
  if (model === undefined || faults.any) throw new Error(`A built-in model is faulty: ${definition.source.file}`)
  parsedBuiltIn.set(definition, model)
  return model
}

function checkExtension({ model, definition }: DefinedModel, base: Model, faults: Faults): void {
  for (const field of base.fields.values()) {
    const own = model.fields.get(field.name)
    const fault = (wanted: string) =>
      faults.add(
        definition.source,
        ['fields'],
        `Model '${model.name}' extends a built-in model and must keep its field '${field.name}': ${wanted}`,
      )
    if (own?.type.name !== field.type.name || own.relation?.target !== field.relation?.target) {
      fault(field.system ? 'set `timestamps: true`' : `its type is ${field.type.name}`)
    } else if ((field.required && !own.required) || (field.unique && !own.unique)) {
      fault(`it is ${[field.required ? 'required' : '', field.unique ? 'unique' : ''].filter(Boolean).join(' and ')}`)
    } else if (field.default !== undefined && !hasDefault(own)) {
      fault(`its default is ${JSON.stringify(field.default)}`)
    }
  }
}

/** The names by which records list those that refer to them are plurals: `buses` for both Bus and Buse. */
function checkReverseNames(own: readonly DefinedModel[], registry: Registry, faults: Faults): void {
  for (const target of registry.all) {
    const taken = new Map<string, Model>()
    for (const { name, model, field } of namedReferrers(target, registry)) {
      const other = taken.get(name)
      taken.set(name, other ?? model)
      const definition = own.find((each) => each.model === model)?.definition
      if (other === undefined || definition === undefined) continue
      faults.add(
        definition.source,
        ['fields', fieldIndex(definition.value, field.name)],
        `${target.name} lists the records of '${model.name}' and of '${other.name}' as '${name}', since both have the same plural; rename one of the models`,
      )
    }
  }
}

/** A former name belongs to one model, and to no present one. */
function checkFormerKeys(models: readonly DefinedModel[], present: ReadonlyMap<string, DefinedModel>, faults: Faults): void {
  const owners = new Map<string, string>()
  for (const { model, definition } of models) {
    const { name, key, was } = model
    if (was === undefined) continue
    const problem = formerNameProblem(present.get(was)?.model.name ?? was, {
      isOwn: was === key,
      isPresent: present.has(was),
      owner: owners.get(was),
      noun: 'model',
    })
    if (problem !== undefined) faults.add(definition.source, ['was'], problem, { rule: 'model/invalid-rename' })
    if (!owners.has(was)) owners.set(was, name)
  }
}

function checkRelations(entries: ReadonlyMap<string, DefinedModel>, unclear: ReadonlySet<string>, faults: Faults): void {
  for (const { model, definition } of entries.values()) {
    for (const { name, relation } of model.relations.values()) {
      const target = entries.get(relation.target)?.model
      // Reported already: a relation without a target, and a faulty target. Only internal models may refer to internal models.
      if (relation.target === '' || unclear.has(relation.target)) continue
      if (target !== undefined && (model.internal || !target.internal)) continue
      const index = fieldIndex(definition.value, name)
      const guess = didYouMean(relation.target, entries.keys())
      faults.add(
        definition.source,
        ['fields', index, 'model'],
        `'${name}' refers to the model '${relation.target}', which does not exist${guess}`,
        { rule: 'model/unknown-relation' },
      )
    }
  }
}

function fieldIndex(definition: unknown, name: string): number {
  const { fields } = definition as { fields: readonly ({ name?: unknown } | null)[] }
  return fields.findIndex((field) => field?.name === name)
}

/**
 * The whole definition of a model that extends a built-in one: its own fields follow those of the built-in model. A definition
 * without `extends` is returned as it is.
 *
 * @param builtIn the built-in models that a project may extend
 * @returns undefined if it extends none of them
 */
function withBaseFields(definition: Definition, builtIn: readonly Definition[], faults: Faults): Definition | undefined {
  const { value, source } = definition
  if (!isObject(value) || value.extends === undefined) return definition
  const bases = builtIn.map((each) => each.value).filter(isObject)
  const keys = bases.map(({ name }) => String(name).toLowerCase())
  const base = bases[keys.indexOf(String(value.extends))]
  const { extends: _, ...own } = value
  if (base === undefined) {
    const guess = meantOrKnown(String(value.extends), keys)
    faults.add(source, ['extends'], `'extends' must name a built-in model, not '${String(value.extends)}'${guess}`)
    return undefined
  }
  if (own.name !== undefined && own.name !== base.name) {
    faults.add(source, ['name'], `A model that extends ${value.extends} has the name ${base.name}; leave out 'name'`)
  }
  if (own.was !== undefined) {
    faults.add(source, ['was'], `A model that extends ${value.extends} cannot be renamed; leave out 'was'`)
  }
  const inherited: readonly unknown[] = Array.isArray(base.fields) ? base.fields : []
  const names = new Set(inherited.map(nameOf))
  const written: readonly unknown[] = Array.isArray(own.fields) ? own.fields : []
  /** Positions of the added fields. */
  const added = [...written.keys()].filter((index) => {
    const isInherited = names.has(nameOf(written[index]))
    if (isInherited) {
      const message = `'${String(nameOf(written[index]))}' is a field of the built-in ${value.extends}; leave it out, or replace the whole model`
      faults.add(source, ['fields', index, 'name'], message)
    }
    return !isInherited
  })
  const fields =
    own.fields === undefined || Array.isArray(own.fields) ? [...inherited, ...added.map((index) => written[index])] : own.fields
  return { value: { ...base, ...own, name: base.name, fields }, source: extendedSource(source, inherited.length, added) }
}

const nameOf = (field: unknown): unknown => (isObject(field) ? field.name : undefined)

/** The source of a definition whose fields are `count` inherited ones and the written ones at the given positions. */
function extendedSource(source: Source, count: number, added: readonly number[]): Source {
  const own = (path: Path): Path => {
    const [first, index, ...rest] = path
    if (first !== 'fields' || typeof index !== 'number') return path
    const position = added[index - count]
    return position === undefined ? ['extends'] : ['fields', position, ...rest]
  }
  return {
    file: source.file,
    at: (path, part) => source.at(own(path), part),
    edit: (change: TextChange) => source.edit?.({ ...change, path: own(change.path) }),
  }
}
