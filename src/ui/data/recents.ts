import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { usePreference } from '../hooks.ts'
import { preferences, type RecordReference } from '../preferences.ts'
import { useSession } from './page-session.ts'
import { labelsQuery, type Related } from './related.ts'
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
function useRecents(): readonly RecordReference[] {
  const { user } = useSite()
  return usePreference('recentRecords')[0]?.[String(user.id)] ?? []
}

/** The names of records, as far as they are known. */
interface Names {
  /** The name of a record; null if it is gone or not viewable, undefined as long as the name could not be read. */
  readonly nameOf: (record: RecordReference) => string | null | undefined
  readonly isPending: boolean
  /** Why names could not be read; null if they were. */
  readonly error: Error | null
  readonly retry: () => void
}

/** Reads the names of records. Those that were known before stay while others are read. */
export function useNames(records: readonly RecordReference[]): Names {
  const site = useSite()
  const session = useSession()
  const queries = useQueryClient()
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
  const knownOf = (model: string): readonly Related[] =>
    queries.getQueriesData<readonly Related[]>({ queryKey: ['records', model, 'labels'] }).flatMap(([, related]) => related ?? [])
  return {
    nameOf: ({ model, id }) => {
      const answer = answers[models.findIndex(([key]) => key === model)]
      if (answer === undefined) return null
      const isAnswered = answer.isSuccess && !answer.isPlaceholderData
      const found = (isAnswered ? answer.data : knownOf(model)).find((each) => each.id === id)
      if (found === undefined) return isAnswered ? null : undefined
      return found.label ?? `#${id}`
    },
    isPending: answers.some(({ isPending }) => isPending),
    error: answers.find(({ error }) => error !== null)?.error ?? null,
    retry: () => {
      for (const { error, refetch } of answers) if (error !== null) void refetch()
    },
  }
}

/** The records that the user has opened last and can still open, with their names. */
export function useRecentNames() {
  const recents = useRecents()
  const names = useNames(recents)
  return { ...names, recents: recents.filter((each) => names.nameOf(each) !== null) }
}
