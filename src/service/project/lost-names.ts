import type { LostName } from '../../lint/project.ts'
import type { Field } from '../../model/field.ts'
import type { Model } from '../../model/model.ts'
import type { Registry } from '../../model/registry.ts'
import type { StoredNames } from '../../store/stored-names.ts'

/**
 * Pairs a stored name without a model or field with each model or field without stored values that it may have become: a field that
 * accepts all of the sampled values, or a model whose fields are for the most part the stored ones.
 */
export function findLostNames(stored: StoredNames, registry: Registry): LostName[] {
  const lost: LostName[] = []
  for (const [was, { records, fields }] of stored) {
    const model = registry.get(was)
    if (model !== undefined) lost.push(...lostFields(model, fields))
    else if (records > 0) {
      const candidates = registry.public.filter((each) => !stored.get(each.key)?.records && isSimilar(each, [...fields.keys()]))
      lost.push(...candidates.map(({ key }) => ({ model: key, field: undefined, was, records })))
    }
  }
  return lost
}

type StoredFields = NonNullable<ReturnType<StoredNames['get']>>['fields']

function lostFields(model: Model, stored: StoredFields): LostName[] {
  const empty = [...model.fields.values()].filter((field) => !field.system && !stored.has(field.name))
  return [...stored].flatMap(([was, { records, sample }]) => {
    if (model.fields.has(was)) return []
    const candidates = empty.filter((field) => acceptsAll(field, sample))
    return candidates.map((field) => ({ model: model.key, field: field.name, was, records }))
  })
}

const acceptsAll = ({ type }: Field, sample: readonly unknown[]): boolean =>
  sample.every((value) => (type.secret ? typeof value === 'string' && value.startsWith('$argon2') : type.read(value).ok))

function isSimilar(model: Model, stored: readonly string[]): boolean {
  const own = stored.filter((name) => model.fields.get(name)?.system === false)
  const all = stored.filter((name) => !['id', 'created_at', 'updated_at'].includes(name))
  const fields = [...model.fields.values()].filter(({ system }) => !system)
  return own.length > 0 && own.length * 2 >= all.length && own.length * 2 >= fields.length
}
