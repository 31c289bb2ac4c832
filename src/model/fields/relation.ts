import { isObject } from '../../util/json.ts'
import { accept, EQUALITY, type FieldType, reject } from '../field-type.ts'
import { integer } from './numeric.ts'

/** The id of a record of another model, or of the same one. */
export const foreignkey: FieldType = {
  ...integer,
  name: 'foreignkey',
  options: ['unique', 'default', 'model', 'on_delete'],
}

/** A unique foreign key. */
export const oneToOne: FieldType = { ...foreignkey, name: 'one_to_one', options: ['model', 'on_delete'] }

/** Maximum number of links of a record. */
export const MAX_LINKS = 25_000

/** Links to any number of records: written as ids or as objects with an `id`, stored as ids in the given order. */
export const manyToMany: FieldType = {
  name: 'many_to_many',
  options: ['model', 'default'],
  operators: EQUALITY,
  sortable: false,
  searchable: false,
  secret: false,
  list: true,
  structured: false,
  read(value) {
    if (!Array.isArray(value)) return reject('must be an array')
    if (value.length > MAX_LINKS) return reject(`must hold at most ${MAX_LINKS} records`)
    const ids = value.map((item: unknown) => (isObject(item) ? item.id : item))
    if (!ids.every((id) => Number.isSafeInteger(id))) return reject('must be an array of ids or of objects with an id')
    return accept([...new Set(ids.map(Number))])
  },
  parse: (text) => integer.parse(text),
}
