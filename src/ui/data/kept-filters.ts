import { AdminError, type SavedView } from '../../client/client.ts'
import type { PreferenceStore } from '../preferences.ts'

/** A saved view as it is taken over from the browser. */
export interface KeptView {
  readonly name: string
  readonly model: string
  readonly query: string
}

/** What taking over needs of the server. */
export interface ViewAccount {
  /** Reads the saved views of the user, those that others share left out. */
  readonly own: () => Promise<readonly SavedView[]>
  /** Stores a saved view of the user. @throws {AdminError} */
  readonly create: (view: KeptView) => Promise<unknown>
}

/** Maximum length of the name of a saved view. */
const MAX_NAME = 60

/** How many names are tried for a filter whose name is in use. */
const MAX_TRIES = 20

/**
 * Makes saved views of the filters that earlier versions have kept in the browser. Each filter is removed from the browser once its view is
 * stored, so that none is lost when a request fails; those that could not be stored are tried again with the next call. Two windows may
 * take them over at the same time: a filter whose view is there already is not stored again.
 *
 * @param models keys of the models that the user may view; filters of others stay for another user of the browser
 * @returns false if some could not be stored
 */
export async function takeOverFilters(
  preferences: PreferenceStore,
  models: ReadonlySet<string>,
  account: ViewAccount,
): Promise<boolean> {
  const kept = Object.entries(preferences.get('savedFilters') ?? {})
    .filter(([model]) => models.has(model))
    .flatMap(([model, filters]) => filters.map((filter) => ({ model, filter })))
  if (kept.length === 0) return true
  try {
    let own = await account.own()
    let isWhole = true
    for (const { model, filter } of kept) {
      const query = filter.search.replace(/^\?/, '')
      const isStored = await store({ name: filter.name.slice(0, MAX_NAME), model, query })
      if (isStored) forget(preferences, model, filter.name)
      else isWhole = false
    }
    return isWhole

    async function store(view: KeptView): Promise<boolean> {
      const isThere = () => own.some((each) => each.model === view.model && each.query === view.query && isNamed(each, view))
      if (isThere()) return true
      const name = freeName(view, own)
      try {
        await account.create({ ...view, name })
        return true
      } catch (error) {
        if (!(error instanceof AdminError) || error.type !== 'validation') throw error
        own = await account.own()
        return isThere()
      }
    }
  } catch {
    return false
  }
}

/** The name of a filter whose own name another view has: `Drafts (2)`. */
function numbered(name: string, number: number): string {
  const end = ` (${number})`
  return number === 1 ? name : `${name.slice(0, MAX_NAME - end.length)}${end}`
}

const numbers = Array.from({ length: MAX_TRIES }, (_, index) => index + 1)

const isNamed = (view: SavedView, { name }: KeptView): boolean => numbers.some((number) => numbered(name, number) === view.name)

function freeName({ name, model }: KeptView, own: readonly SavedView[]): string {
  const used = new Set(own.filter((view) => view.model === model).map((view) => view.name))
  return numbers.map((number) => numbered(name, number)).find((each) => !used.has(each)) ?? name
}

/** Removes a filter from the browser. */
function forget(preferences: PreferenceStore, model: string, name: string): void {
  const { [model]: ofModel = [], ...others } = preferences.get('savedFilters') ?? {}
  const left = ofModel.filter((each) => each.name !== name)
  const next = left.length > 0 ? { ...others, [model]: left } : others
  preferences.set('savedFilters', Object.keys(next).length > 0 ? next : undefined)
}
