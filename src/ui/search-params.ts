/** The query of an address: a text, or several where a name is repeated. */
export type SearchParams = Readonly<Record<string, string | readonly string[] | undefined>>

/** Parses the query of an address. Values stay text, so that an address looks as a person would write it. */
export function parseSearch(query: string): Record<string, string | string[]> {
  const parameters = new URLSearchParams(query)
  const names = new Set(parameters.keys())
  return Object.fromEntries(
    [...names].map((name) => {
      const values = parameters.getAll(name)
      return [name, values.length === 1 ? (values[0] ?? '') : values]
    }),
  )
}

/** Writes the query of an address; empty for none. Undefined values are left out. */
export function stringifySearch(search: SearchParams): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    for (const text of typeof value === 'string' ? [value] : (value ?? [])) parameters.append(name, text)
  }
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}

/** The values of a name, whether it is repeated or not. */
export const valuesOf = (search: SearchParams, name: string): readonly string[] => {
  const value = search[name]
  return typeof value === 'string' ? [value] : (value ?? [])
}

/** The first value of a name. */
export const firstOf = (search: SearchParams, name: string): string | undefined => valuesOf(search, name)[0]
