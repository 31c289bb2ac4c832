import type { Actor } from '../../auth/permissions.ts'
import { parsePlainList, parseSearchRequest } from '../../query/parse.ts'
import type { FoundPage, Store } from '../../store/store.ts'
import type { AccessRules } from '../access/access-rules.ts'
import { MAX_SELECTED, type Selection } from '../records/selection.ts'
import type { Searches } from './searches.ts'
import { checkRelations } from './visibility.ts'

/** Finds the records of writes by filters. */
export class Selections {
  readonly #access: AccessRules
  readonly #store: Store
  readonly #searches: Searches

  constructor(access: AccessRules, store: Store, searches: Searches) {
    this.#access = access
    this.#store = store
    this.#searches = searches
  }

  /**
   * Finds all records that match and that the actor may view, up to the maximum of a write.
   *
   * @throws {AppError} FORBIDDEN, INVALID_REQUEST, SEARCH_NOT_READY
   */
  async find(actor: Actor, modelKey: string, { filters, any, search }: Selection): Promise<FoundPage> {
    const model = this.#access.modelFor(actor, 'view', modelKey)
    const sent = new URLSearchParams()
    for (const text of filters) sent.append('filters', text)
    for (const text of any) sent.append('any', text)
    if (search !== undefined) {
      sent.set('q', search)
      const request = { ...parseSearchRequest(sent, model, this.#access.registry), page: { page: 1, pageSize: MAX_SELECTED } }
      const { hits, total } = await this.#searches.find(actor, model.key, request)
      return { records: hits.map(({ record }) => record), total }
    }
    const { plan } = parsePlainList(sent, model, this.#access.registry)
    checkRelations(this.#access, actor, plan)
    const { filters: visible } = this.#access.narrowed(actor, model, plan)
    const [found = { records: [], total: 0 }] = await this.#store.findEach(model.key, [
      { filters: visible, sort: [], offset: 0, limit: MAX_SELECTED },
    ])
    return found
  }
}
