import type { Json, JsonObject } from '../../util/json.ts'
import type { Model } from '../model.ts'

/** A key that no two records share: the value of a unique field, or the values of a unique set. */
export interface UniqueKey {
  /** The field that messages name. */
  readonly field: string
  /** Continues a message that begins with the field. */
  readonly problem: string
  /** Null if the record has none. */
  keyOf(record: JsonObject): Json
}

/** The unique keys of a model, without its id. */
export function uniqueKeys({ fields, uniqueSets }: Model): UniqueKey[] {
  const single = [...fields.values()].filter(({ name, unique }) => unique && name !== 'id')
  return [
    ...single.map(({ name }) => ({
      field: name,
      problem: 'must be unique',
      keyOf: (record: JsonObject) => record[name] ?? null,
    })),
    ...uniqueSets.map((set) => ({
      field: set.fields[0] ?? '',
      problem: set.problem,
      keyOf: (record: JsonObject) => set.keyOf(record),
    })),
  ]
}
