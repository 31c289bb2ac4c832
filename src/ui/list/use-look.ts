import type { SavedLook, SavedView } from '../../client/client.ts'
import { useListPreference, usePreference } from '../hooks.ts'

/** How a list looks; absent members are as the list view has them. */
export type Look = { readonly [Member in keyof SavedLook]?: SavedLook[Member] | undefined }

/** The look of a list, and what can be done with it. */
export interface LookState {
  readonly look: Look
  /** The look of the opened saved view as it was saved; without one, the same as `look`. */
  readonly saved: Look
  /** Changes some members. The browser keeps the change, also that of a saved view, until it is saved there. */
  readonly set: (part: Look) => void
}

/** The look of a list. @param list `<model>/<list>` @param opened the opened saved view */
export function useLook(list: string, opened: SavedView | undefined): LookState {
  const [widths, setWidths] = useListPreference('columnWidths', list)
  const [pinned, setPinned] = useListPreference('pinnedColumns', list)
  const [totals, setTotals] = useListPreference('totals', list)
  const [density, setDensity] = usePreference('density')
  const [changed, setChanged] = usePreference('changedLooks')
  const own: Look = { widths, pinned, totals, density }
  if (opened !== undefined) {
    const saved = opened.look ?? own
    const look = changed?.[opened.id] ?? saved
    return { look, saved, set: (part) => setChanged({ ...changed, [opened.id]: { ...look, ...part } }) }
  }
  const set = (part: Look) => {
    if ('widths' in part) setWidths(part.widths)
    if ('pinned' in part) setPinned(part.pinned)
    if ('totals' in part) setTotals(part.totals)
    if ('density' in part) setDensity(part.density === 'compact' ? 'compact' : undefined)
  }
  return { look: own, saved: own, set }
}
