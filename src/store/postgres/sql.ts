/** A value that a statement passes to PostgreSQL as a parameter. A list becomes an array. */
export type Parameter = string | number | boolean | bigint | null | readonly Parameter[]

/** A value as it is sent: a text, or bytes, which the driver sends in binary. */
type SentValue = string | Uint8Array | null

/** A statement as it is sent: `$1`, `$2` … stand for the values. */
export interface CompiledSql {
  readonly text: string
  readonly values: readonly SentValue[]
}

/** An immutable fragment of SQL. Its values are parameters and never part of the text. */
export class Sql {
  readonly #texts: readonly string[]
  /** `#parts[i]` stands between `#texts[i]` and `#texts[i + 1]`. */
  readonly #parts: readonly (Sql | Parameter | Uint8Array)[]

  /** @param texts one more than `parts` */
  constructor(texts: readonly string[], parts: readonly (Sql | Parameter | Uint8Array)[]) {
    this.#texts = texts
    this.#parts = parts
  }

  /** The text with placeholders, and the values in their order. */
  compile(): CompiledSql {
    const values: SentValue[] = []
    return { text: this.#append('', values), values }
  }

  #append(before: string, values: SentValue[]): string {
    let text = before + (this.#texts[0] ?? '')
    let next = 0
    for (const part of this.#parts) {
      if (part instanceof Sql) text = part.#append(text, values)
      else text += `$${values.push(part instanceof Uint8Array ? part : parameterText(part))}`
      next += 1
      text += this.#texts[next] ?? ''
    }
    return text
  }
}

/** A fragment from a template: a part that is an `Sql` is inserted, any other becomes a parameter. Bytes are a `bytea`. */
export const sql = (texts: TemplateStringsArray, ...parts: readonly (Sql | Parameter | Uint8Array)[]): Sql =>
  new Sql(texts, parts)

/** The fragment without text. */
export const EMPTY = new Sql([''], [])

/** A quoted name, qualified if there are several: `"schema"."table"`. */
export const identifier = (...names: readonly string[]): Sql => new Sql([names.map(quotedName).join('.')], [])

/** A constant in the text of a statement, for definitions, which take no parameters. */
export const literal = (value: string | number | boolean): Sql => new Sql([literalText(value)], [])

/** Words of SQL that the program chooses, such as the name of a type. They must not come from a request or a project. */
export const keyword = (words: string): Sql => new Sql([words], [])

/** Fragments with a separator between them; without fragments, no text. */
export function joined(parts: readonly Sql[], separator = ', '): Sql {
  if (parts.length === 0) return EMPTY
  return new Sql(['', ...parts.slice(1).map(() => separator), ''], parts)
}

/** A name in double quotes, as SQL writes it. */
export function quotedName(name: string): string {
  if (name === '' || name.includes('\0')) throw new Error('A name in SQL must not be empty or contain NUL')
  return `"${name.replaceAll('"', '""')}"`
}

function literalText(value: string | number | boolean): string {
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new Error(`${value} is no number in SQL`)
    return value < 0 ? `(${value})` : String(value)
  }
  if (value.includes('\0')) throw new Error('A text in SQL must not contain NUL')
  const quoted = `'${value.replaceAll("'", "''")}'`
  // `E` makes the meaning of a backslash independent of the settings of the server. A statement with line breaks is printed in one line.
  if (!/[\\\n\r]/.test(value)) return quoted
  return `E${quoted.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}`
}

/** The text of a parameter in the format of PostgreSQL, which infers its type from the statement. */
export function parameterText(value: Parameter): string | null {
  if (value === null) return null
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(value)
    default:
      if (Array.isArray(value)) return arrayText(value)
      throw new TypeError(`A parameter must be a text, number, boolean, list or null, not ${typeof value}`)
  }
}

/** Characters that are escaped in a quoted item of an array. */
const SPECIAL = /["\\]/
const ALL_SPECIAL = /["\\]/g

/** An array in the format of PostgreSQL: `{"a","b",NULL}`. */
function arrayText(items: readonly Parameter[]): string {
  const texts = items.map((item) => {
    if (item === null) return 'NULL'
    if (typeof item !== 'string') return parameterText(item) ?? ''
    return `"${SPECIAL.test(item) ? item.replace(ALL_SPECIAL, '\\$&') : item}"`
  })
  return `{${texts.join(',')}}`
}
