import type { Column } from '../layout/column.ts'
import { joined, literal, type Sql, sql } from '../sql.ts'

/** The conditions that the limits of a field demand of its column. A pattern has none: it is in another syntax than those of PostgreSQL. */
export function checksOf({ field, sql: column, type }: Column): Sql[] {
  const { limits } = field
  // Secrets are stored hashed.
  if (field.type.secret) return []
  const checks: Sql[] = []
  const demand = (limit: number | undefined, condition: (bound: Sql) => Sql) => {
    if (limit !== undefined) checks.push(condition(literal(limit)))
  }
  if (type === 'text') {
    demand(limits.min_length, (bound) => sql`char_length(${column}) >= ${bound}`)
    demand(limits.max_length, (bound) => sql`char_length(${column}) <= ${bound}`)
  } else {
    demand(limits.gt, (bound) => sql`${column} > ${bound}`)
    demand(limits.gte, (bound) => sql`${column} >= ${bound}`)
    demand(limits.lt, (bound) => sql`${column} < ${bound}`)
    demand(limits.lte, (bound) => sql`${column} <= ${bound}`)
    demand(limits.decimal_places, (bound) => sql`scale(trim_scale(${column})) <= ${bound}`)
  }
  const choices = choicesOf(limits.choices, type)
  if (choices !== undefined) {
    checks.push(field.type.list ? sql`${column} <@ array[${choices}]::text[]` : sql`${column} in (${choices})`)
  }
  return checks
}

/** The choices that a value of the column can equal; undefined if the field has no choices. */
function choicesOf(choices: readonly (string | number)[] | undefined, type: string): Sql | undefined {
  const wanted = type.startsWith('text') ? 'string' : 'number'
  const possible = choices?.filter((choice) => typeof choice === wanted) ?? []
  return possible.length === 0 ? undefined : joined(possible.map(literal))
}
