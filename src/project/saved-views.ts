import type { AccessRules } from '../access/access-rules.ts'
import { mayActOnView, meantFor } from '../access/saved-view-access.ts'
import type { Actor } from '../auth/permissions.ts'
import { type Store, type StoredRecord, versionOf } from '../store/store.ts'
import type { Json } from '../util/json.ts'
import { SAVED_VIEWS } from '../views/saved-view-model.ts'

/** Maximum number of saved views in the site. */
const MAX_VIEWS = 500

/** Fields of saved views that are in the site. */
const MEMBERS = ['name', 'model', 'query', 'look', 'user_id', 'groups', 'everyone', 'default_for']

/** The saved views that are meant for an actor, of models that the actor may view: by name, at most 500. */
export async function savedViewsFor(access: AccessRules, store: Store, actor: Actor): Promise<readonly Record<string, Json>[]> {
  if (!access.may(actor, 'view', access.registry.expect(SAVED_VIEWS))) return []
  const { records } = await store.find(
    SAVED_VIEWS,
    {
      filters: [meantFor(actor)],
      sort: [
        { field: 'name', order: 'asc' },
        { field: 'id', order: 'asc' },
      ],
      offset: 0,
      limit: MAX_VIEWS,
    },
    { withoutTotal: true },
  )
  const isViewable = ({ model: key }: StoredRecord) => {
    const model = access.registry.public.find((each) => each.key === key)
    return model !== undefined && access.may(actor, 'view', model)
  }
  return records.filter(isViewable).map((record) => ({
    id: record.id,
    ...Object.fromEntries(MEMBERS.map((name) => [name, record[name] ?? null])),
    updated_at: record.updated_at ?? null,
    etag: `"${versionOf(record)}"`,
    can: (['change', 'delete'] as const).filter((action) => mayActOnView(actor, action, record)),
  }))
}
