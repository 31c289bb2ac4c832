import type { SavedView, Site } from '../../client/client.ts'
import { parseSearch, type SearchParams } from '../search-params.ts'

/** Stands in an address for no saved view, where one would open by default. */
export const NO_VIEW = 'none'

/** The query of the address of a saved view. It holds all that the view says of the list, since the list may be changed afterwards. */
export const viewSearch = ({ id, query }: SavedView): SearchParams => ({
  ...parseSearch(query ?? ''),
  page: undefined,
  view: String(id),
})

/**
 * The saved view that opens with the list of a model: that which the user has chosen, otherwise one that others have chosen for all who see
 * it, first those of the groups of the user.
 */
export function defaultView({ saved_views, user }: Site, model: string): SavedView | undefined {
  const rank = ({ user_id, default_for, groups }: SavedView): number => {
    if (user_id === user.id) return default_for === 'user' ? 0 : 1
    return user.groups.some(({ id }) => groups.includes(id)) ? 2 : 3
  }
  return saved_views
    .filter((view) => view.model === model && (view.default_for === 'all' || (view.default_for === 'user' && rank(view) === 0)))
    .toSorted((one, other) => rank(one) - rank(other))[0]
}

/** The query of the address of a list, with the saved view that opens by default in the place of an empty one. */
export const openedSearch = (search: SearchParams, opening: SavedView | undefined): SearchParams =>
  opening !== undefined && Object.values(search).every((value) => value === undefined) ? viewSearch(opening) : search
