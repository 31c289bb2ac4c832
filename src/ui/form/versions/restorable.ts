import type { HistoryEntry } from '../../../client/client.ts'
import type { Values } from '../fields/values.ts'

/**
 * The values that an entry of a history can restore: those before a change, or those that the record was created with. Secrets are not
 * recorded, and hidden values are not shown, so they cannot be restored.
 */
export function restorable({ action, changes }: HistoryEntry, writable: readonly string[]): Values {
  const values = Object.entries(changes).flatMap(([name, change]): [string, unknown][] => {
    if (!writable.includes(name) || change.secret === true || change.hidden === true) return []
    return [[name, action === 'create' ? change.after : change.before]]
  })
  return Object.fromEntries(values)
}
