import type { Client, SavedLook, SavedView, Site } from '../../client/client.ts'
import { preferences } from '../preferences.ts'
import type { Look } from './use-look.ts'

/** The fields of a saved view that the page writes. */
export interface ViewValues {
  readonly name: string
  readonly model: string
  readonly query: string
  readonly look: SavedLook
  readonly everyone: boolean
  readonly groups: readonly number[]
  readonly default_for: SavedView['default_for']
}

/** A saved view to change, or undefined for a new one, and what it becomes. */
export interface ViewWrite {
  readonly saved: SavedView | undefined
  readonly values: Partial<ViewValues>
}

/**
 * Stores a saved view. One that opens by default takes the place of the former one of the same users, in the same transaction.
 *
 * @returns its id
 * @throws {AdminError}
 */
export async function writeView(client: Client, site: Site, { saved, values }: ViewWrite): Promise<number> {
  const data = { ...values }
  const former = formerDefaults(site, { ...saved, ...values }).map(({ id }) => ({ ...OF_VIEW, id, data: { default_for: null } }))
  const own =
    saved === undefined
      ? ({ method: 'create', model: 'savedview', data } as const)
      : ({ ...OF_VIEW, id: saved.id, data } as const)
  const { data: records } = await client.batch([own, ...former])
  if ('look' in values) forgetLook(saved)
  return Number(records[0]?.id)
}

const OF_VIEW = { method: 'update', model: 'savedview' } as const

/** Deletes a saved view. @throws {AdminError} */
export async function deleteView(client: Client, saved: SavedView): Promise<void> {
  await client.model('savedview').delete(saved.id)
  forgetLook(saved)
}

/** Forgets the changes of the look of a saved view that the browser keeps. */
export function forgetLook(saved: SavedView | undefined): void {
  const { [saved?.id ?? '']: _, ...others } = preferences.get('changedLooks') ?? {}
  preferences.set('changedLooks', Object.keys(others).length > 0 ? others : undefined)
}

/** What is known of a view that is going to be stored. */
type NextDefault = Partial<Pick<SavedView, 'id' | 'model' | 'default_for' | 'everyone' | 'groups'>>

/** The views that open by default for the same users as another is going to, as far as the user may change them. */
export function formerDefaults({ saved_views, user }: Site, next: NextDefault): readonly SavedView[] {
  const { id, model, default_for: defaultFor, everyone, groups = [] } = next
  const isSame = (view: SavedView): boolean => {
    if (view.id === id || view.model !== model || view.default_for !== defaultFor || !view.can.includes('change')) return false
    if (defaultFor === 'user') return view.user_id === user.id
    if (everyone === true || view.everyone === true) return everyone === true && view.everyone === true
    return view.groups.length === groups.length && groups.every((each) => view.groups.includes(each))
  }
  return defaultFor === 'user' || defaultFor === 'all' ? saved_views.filter(isSame) : []
}

/** A look as it is stored. */
export const storedLook = ({ widths, pinned, totals, density }: Look): SavedLook => ({
  ...(widths && { widths }),
  ...(pinned && { pinned }),
  ...(totals && { totals }),
  density: density ?? 'comfortable',
})
