import type { Json, JsonObject } from '../util/json.ts'

/** Fields of which no two records have all the same values. Records without a value in one of them are exempt, as in SQL. */
export class UniqueSet {
  readonly fields: readonly string[]
  /** Name of its index. No field has such a name, since names of fields contain no comma. */
  readonly name: string

  constructor(fields: readonly string[]) {
    this.fields = fields
    this.name = fields.join(',')
  }

  /** The values of a record as one text; null if one of them is null. */
  keyOf(record: JsonObject): string | null {
    const values: Json[] = []
    for (const field of this.fields) {
      const value = record[field] ?? null
      if (value === null) return null
      values.push(value)
    }
    return JSON.stringify(values)
  }

  /** Continues a message that begins with the name of its first field. */
  get problem(): string {
    return `must be unique together with ${this.fields.slice(1).join(', ')}`
  }
}
