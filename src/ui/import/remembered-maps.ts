import type { RememberedMap } from '../preferences.ts'

/** Maps that are kept of a model, and of all. */
const MAX_OF_MODEL = 10
const MAX_MODELS = 30
/** Columns of a file whose map is kept. */
const MAX_COLUMNS = 200

type RememberedMaps = Readonly<Record<string, readonly RememberedMap[]>>

/** The columns of a file, in any order. */
const keyOf = (headers: readonly string[]): string => JSON.stringify([...headers].sort())

/** The map of the last import into a model of a file with the same columns. @param isPossible true for what a column can still be */
export function rememberedMap(
  maps: RememberedMaps | undefined,
  model: string,
  headers: readonly string[],
  isPossible: (field: string) => boolean,
): RememberedMap | undefined {
  const key = keyOf(headers)
  const found = maps?.[model]?.find(({ columns }) => keyOf(Object.keys(columns)) === key)
  if (found === undefined) return undefined
  const columns = Object.entries(found.columns).filter(([, field]) => field === null || isPossible(field))
  return { ...found, columns: Object.fromEntries(columns) }
}

/** The maps with another one, which is the first; the oldest go where there are too many. */
export function withRemembered(maps: RememberedMaps | undefined, model: string, map: RememberedMap): RememberedMaps {
  const headers = Object.keys(map.columns)
  if (headers.length > MAX_COLUMNS) return maps ?? {}
  const key = keyOf(headers)
  const others = (maps?.[model] ?? []).filter(({ columns }) => keyOf(Object.keys(columns)) !== key)
  const rest = Object.entries(maps ?? {}).filter(([name]) => name !== model)
  return Object.fromEntries([[model, [map, ...others].slice(0, MAX_OF_MODEL)] as const, ...rest].slice(0, MAX_MODELS))
}
