import type { AccessRules } from '../access/access-rules.ts'
import type { Actor } from '../auth/permissions.ts'
import { MAX_FILTERS } from '../query/filters.ts'
import { parsePlainList, parseSearchRequest } from '../query/parse.ts'
import type { Searches } from '../reads/searches.ts'
import type { FoundPage, Store } from '../store/store.ts'
import { isObject } from '../util/json.ts'
import type { FieldIssues } from '../validate/issues.ts'
import { type RecordData, readEnvelope } from './write-requests.ts'

/** Maximum number of records that a write by filters changes. */
export const MAX_SELECTED = 100_000

/**
 * Maximum number of characters of all filters and words together: more than a URL holds, so that a write takes every filter that a list
 * takes.
 */
const MAX_TEXT = 65_536

/** Records by what they match, as lists and searches do. */
export interface MatchSelection {
  /** As the parameter `filters` of a list. */
  readonly filters: readonly string[]
  /** As the parameter `any` of a list. */
  readonly any: readonly string[]
  /** Words, as the parameter `q` of a search. */
  readonly search: string | undefined
  /** The number of records that the client expects to match. */
  readonly expectedTotal: number
}

const MEMBERS = ['filters', 'any', 'search', 'expected_total']

/** True for the body of a bulk write that selects records by filters rather than by ids. */
export const namesSelection = (body: unknown): boolean => isObject(body) && ('filters' in body || 'expected_total' in body)

/**
 * Reads `{filters, any?, search?, expected_total, data, form_id?}`.
 *
 * @throws {AppError} VALIDATION_FAILED
 */
export function readSelectionUpdate(body: unknown): {
  selection: MatchSelection
  data: RecordData
  formId: string | undefined
} {
  const { members, formId, issues } = readEnvelope(body, [...MEMBERS, 'data', 'form_id'])
  const selection = readSelection(members, issues)
  if (!isObject(members.data)) issues.add('data', members.data == null ? 'data is mandatory' : 'data must be an object')
  issues.throwIfAny()
  return { selection, data: members.data as RecordData, formId }
}

/**
 * Reads `{filters, any?, search?, expected_total}`.
 *
 * @throws {AppError} VALIDATION_FAILED
 */
export function readSelectionDelete(body: unknown): MatchSelection {
  const { members, issues } = readEnvelope(body, MEMBERS)
  const selection = readSelection(members, issues)
  issues.throwIfAny()
  return selection
}

function readSelection(members: Readonly<Record<string, unknown>>, issues: FieldIssues): MatchSelection {
  const { search, expected_total: expected } = members
  const filters = readTexts('filters', members.filters, issues)
  if (members.filters == null) issues.add('filters', 'filters is mandatory; an empty array selects every record')
  const any = readTexts('any', members.any, issues)
  const length = [...filters, ...any, typeof search === 'string' ? search : ''].reduce((sum, text) => sum + text.length, 0)
  if (length > MAX_TEXT) {
    const longest = typeof search === 'string' && search.length > MAX_TEXT ? 'search' : 'filters'
    issues.add(longest, `filters, any and search must have at most ${MAX_TEXT} characters together, not ${length}`)
  }
  if (search != null && (typeof search !== 'string' || search.trim() === '')) issues.add('search', 'search must be words')
  const isCount = Number.isSafeInteger(expected) && Number(expected) >= 0 && Number(expected) <= MAX_SELECTED
  if (expected == null) issues.add('expected_total', 'expected_total is mandatory: the number of records that match')
  else if (!isCount) issues.add('expected_total', `expected_total must be an integer from 0 to ${MAX_SELECTED}`)
  return { filters, any, search: typeof search === 'string' ? search : undefined, expectedTotal: Number(expected) }
}

function readTexts(name: string, value: unknown, issues: FieldIssues): readonly string[] {
  if (value == null) return []
  if (Array.isArray(value) && value.length > MAX_FILTERS) {
    issues.add(name, `${name} must hold at most ${MAX_FILTERS} filters, not ${value.length}`)
    return []
  }
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value
  issues.add(name, `${name} must be an array of texts such as "status=draft"`)
  return []
}

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
  async find(actor: Actor, modelKey: string, { filters, any, search }: MatchSelection): Promise<FoundPage> {
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
    const { filters: visible } = this.#access.restricted(actor, model, plan)
    const [found = { records: [], total: 0 }] = await this.#store.findEach(model.key, [
      { filters: visible, sort: [], offset: 0, limit: MAX_SELECTED },
    ])
    return found
  }
}
