import { useQueries } from '@tanstack/react-query'
import { useEffect } from 'react'
import { usePreference } from '../hooks.ts'
import { preferences, type RecordReference } from '../preferences.ts'
import { useSession } from './page-session.ts'
import { labelsQuery } from './related.ts'
import { may, modelOf, useSite } from './site.ts'

/** Number of records that are remembered. */
const KEPT = 8

const isSame = (one: RecordReference, other: RecordReference): boolean => one.model === other.model && one.id === other.id

/** Remembers in the browser that the user has opened a record: its model and id only. */
export function useRemembered(model: string | undefined, id: number | undefined): void {
  const { user } = useSite()
  useEffect(() => {
    if (model === undefined || id === undefined) return
    const all = preferences.get('recentRecords')
    const opened = { model, id }
    const former = (all?.[String(user.id)] ?? []).filter((each) => !isSame(each, opened))
    preferences.set('recentRecords', { ...all, [String(user.id)]: [opened, ...former].slice(0, KEPT) })
  }, [model, id, user.id])
}

/** The records that the user has opened last, the latest first. */
export function useRecents(): readonly RecordReference[] {
  const { user } = useSite()
  return usePreference('recentRecords')[0]?.[String(user.id)] ?? []
}

/** The names of records by `<model>/<id>`; undefined until they are loaded. Records that are gone or not viewable have none. */
export function useNames(records: readonly RecordReference[]): ReadonlyMap<string, string> | undefined {
  const site = useSite()
  const session = useSession()
  const models = [...Map.groupBy(records, ({ model }) => model)].filter(([key]) => may(modelOf(site, key), 'view'))
  const answers = useQueries({
    queries: models.map(([key, members]) =>
      labelsQuery(
        session,
        modelOf(site, key),
        [...new Set(members.map(({ id }) => id))].sort((a, b) => a - b),
      ),
    ),
  })
  if (answers.some(({ isPending }) => isPending)) return undefined
  return new Map(
    models.flatMap(([key], index) =>
      (answers[index]?.data ?? []).map(({ id, label }) => [`${key}/${id}`, label ?? `#${id}`] as const),
    ),
  )
}
