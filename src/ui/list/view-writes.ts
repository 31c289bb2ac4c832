import { AdminError, type Client, type SavedLook, type SavedView, type Site } from '../../client/client.ts'
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

/** A saved view to change, and what it becomes. */
export interface ViewWrite {
  /** The view as it was when its editing began; undefined for a new one. */
  readonly saved: SavedView | undefined
  readonly values: Partial<ViewValues>
}

/** The result of a write. */
interface ViewWritten {
  /** The id of the view; undefined if nothing is stored. */
  readonly id: number | undefined
  /** The new version of the view. */
  readonly etag?: string | undefined
  /** The views that were changed elsewhere, so that nothing is stored, as the page has read them. */
  readonly changed: readonly SavedView[]
}

/** The result before anything is written. */
export const NOT_WRITTEN: ViewWritten = { id: undefined, changed: [] }

/**
 * Stores a saved view. One that opens by default takes the place of the former one of the same users, in the same transaction. Nothing is
 * stored if one of them was changed since it was read.
 *
 * @throws {AdminError}
 */
export async function writeView(client: Pick<Client, 'batch'>, site: Site, { saved, values }: ViewWrite): Promise<ViewWritten> {
  const data = { ...values }
  const former = formerDefaults(site, { ...saved, ...values })
  const emptied = former.map(({ id, etag }) => ({ ...OF_VIEW, id, if_match: etag, data: { default_for: null } }))
  const own =
    saved === undefined
      ? ({ method: 'create', model: 'savedview', data } as const)
      : ({ ...OF_VIEW, id: saved.id, if_match: saved.etag, data } as const)
  try {
    const { data: records, etags } = await client.batch([own, ...emptied], { etags: true })
    if ('look' in values) forgetLook(saved)
    return { id: Number(records[0]?.id), etag: etags?.[0] ?? undefined, changed: [] }
  } catch (error) {
    const changed = [saved, ...former].flatMap((view, index) => (view !== undefined && isOutdated(error, index) ? view : []))
    if (changed.length === 0) throw error
    return { id: undefined, changed }
  }
}

/** True for the error of a batch of which an operation has another version than the stored one. */
const isOutdated = (error: unknown, index: number): boolean =>
  error instanceof AdminError && error.errorsOf(index).if_match !== undefined

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
