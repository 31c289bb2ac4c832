import { groupIdsOf, mayShareWithAll, SHARING } from '../access/saved-view-access.ts'
import type { Actor } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { WriteHooks } from '../records/hooks.ts'
import type { Operation, Store, StoredRecord } from '../store/store.ts'
import { SAVED_VIEWS } from '../views/saved-view-model.ts'

/**
 * Guards the sharing of saved views. Users share their views with groups that they are members of. Sharing with everyone or with other groups,
 * and opening a view by default for all who see it, need the permission `change_savedview`. What is shared already stays so.
 */
export function savedViewGuard(store: Pick<Store, 'get'>): WriteHooks {
  return {
    inTransaction({ write: { actor }, operations }) {
      if (mayShareWithAll(actor)) return
      const sharing = operations.filter(isSharing)
      return sharing.length === 0 ? undefined : check(store, actor, sharing)
    },
  }
}

type Write = Extract<Operation, { readonly kind: 'insert' | 'update' }>

const isSharing = (operation: Operation): operation is Write =>
  (operation.kind === 'insert' || operation.kind === 'update') &&
  operation.table === SAVED_VIEWS &&
  (operation.values.everyone === true || operation.values.default_for === 'all' || idsIn(operation.values.groups).length > 0)

async function check(store: Pick<Store, 'get'>, actor: Actor, writes: readonly Write[]): Promise<void> {
  const member = new Set(groupIdsOf(actor))
  const stored = await store.get(
    SAVED_VIEWS,
    writes.flatMap((write) => (write.kind === 'update' ? [write.id] : [])),
  )
  const byId = new Map(stored.flatMap((record): [number, StoredRecord][] => (record === undefined ? [] : [[record.id, record]])))
  for (const write of writes) {
    const { everyone, default_for: defaultFor, groups } = write.values
    const before = write.kind === 'update' ? byId.get(write.id) : undefined
    const shared = idsIn(before?.groups)
    if (everyone === true && before?.everyone !== true) throw refused('Sharing a saved view with everyone')
    if (defaultFor === 'all' && before?.default_for !== 'all') throw refused('A saved view that opens by default for all')
    const foreign = idsIn(groups).find((id) => !member.has(id) && !shared.includes(id))
    if (foreign !== undefined) throw refused(`Sharing a saved view with group ${foreign}, of which you are no member,`)
  }
}

const idsIn = (value: unknown): readonly number[] => (Array.isArray(value) ? value.map(Number) : [])

const refused = (what: string): AppError => new AppError('FORBIDDEN', `${what} needs the permission ${SHARING}`)
