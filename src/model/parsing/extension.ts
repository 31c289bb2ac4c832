import type { Faults } from '../../config/fault.ts'
import type { Change, Definition, Path, Source } from '../../config/source.ts'
import { isObject } from '../../util/json.ts'
import { meantOrKnown } from '../../util/suggest.ts'

/**
 * The whole definition of a model that extends a built-in one: its own fields follow those of the built-in model. A definition
 * without `extends` is returned as it is.
 *
 * @param builtIn the built-in models that a project may extend
 * @returns undefined if it extends none of them
 */
export function withBaseFields(definition: Definition, builtIn: readonly Definition[], faults: Faults): Definition | undefined {
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
    edit: (change: Change) => source.edit?.({ ...change, path: own(change.path) }),
  }
}
