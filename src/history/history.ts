import type { AccessRules } from '../access/access-rules.ts'
import { type Actor, noSuchRecord, superusersOnly } from '../auth/permissions.ts'
import type { Settings } from '../config/settings.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log/log.ts'
import type { FileUrls } from '../model/file-urls.ts'
import type { Model } from '../model/model.ts'
import { comparer, matcher } from '../query/match.ts'
import { readRecordId } from '../query/parameters.ts'
import { type PlainListQuery, parsePlainList } from '../query/parse.ts'
import { type FieldFilter, pageJson } from '../query/plan.ts'
import type { WriteHooks } from '../records/hooks.ts'
import type { RecordedChange } from '../records/restore.ts'
import type { Store, StoredRecord } from '../store/store.ts'
import type { Timer } from '../util/clock.ts'
import { PeriodicTask } from '../util/periodic-task.ts'
import { type HistoryPruningParts, pruneHistory } from './history-pruning.ts'
import { HistoryReader } from './history-reader.ts'
import { HISTORY, historyRecorder, recordedTables } from './history-recorder.ts'

/** Interval of pruning, in milliseconds. */
const PRUNE_MS = 600_000

interface HistoryParts extends HistoryPruningParts {
  readonly access: AccessRules
  readonly settings: Settings
  readonly timer: Timer
  readonly log: Log
  readonly fileUrls: FileUrls
}

/** The history of records, as the API returns it, latest first unless the request says otherwise. */
export class History {
  readonly #access: AccessRules
  readonly #store: Store
  readonly #model: Model
  readonly #urls: FileUrls
  /** The tables whose changes are recorded; none if history is off. */
  readonly #tables: ReadonlySet<string>
  readonly #pruning: PeriodicTask | undefined
  /** Record the changes of writes. */
  readonly hooks: WriteHooks

  constructor({ access, settings, timer, log, fileUrls, ...parts }: HistoryParts) {
    this.#access = access
    this.#store = parts.store
    this.#urls = fileUrls
    this.#model = access.registry.expect(HISTORY)
    this.#tables = recordedTables(settings, access.registry)
    const days = settings.history?.days
    if (days !== undefined) {
      this.#pruning = new PeriodicTask(() => pruneHistory(parts, days), {
        timer,
        intervalMs: PRUNE_MS,
        onError: (error) => log.error('The history could not be pruned', { error }),
      })
    }
    this.hooks = historyRecorder(this.#tables, parts.clock)
  }

  /** Removes old entries from now on. */
  async begin(): Promise<void> {
    await this.#pruning?.start()
  }

  stop(): void {
    this.#pruning?.stop()
  }

  /** True if changes of any model are recorded. */
  get isOn(): boolean {
    return this.#tables.size > 0
  }

  /** True if changes of this model are recorded. */
  covers(model: Model): boolean {
    return this.#tables.has(model.key)
  }

  /**
   * Returns a page of the history of all models, for superusers.
   *
   * @param query query string without the question mark: filters, sort order, page
   * @throws {AppError} FORBIDDEN, INVALID_REQUEST, HISTORY_OFF
   */
  async all(actor: Actor, query: string): Promise<string> {
    superusersOnly(actor)
    if (!this.isOn) throw this.#historyOff()
    return (await this.#page(this.#asked(query), [])).json
  }

  /**
   * Returns a page of the history of a record that the actor may view, without what was hidden from the actor. That of a deleted record is for
   * superusers.
   *
   * @throws {AppError} MODEL_NOT_FOUND, FORBIDDEN, RECORD_NOT_FOUND, INVALID_REQUEST, HISTORY_OFF
   */
  async ofRecord(actor: Actor, modelKey: string, recordId: string, query: string): Promise<string> {
    const model = this.#access.modelFor(actor, 'view', modelKey)
    const id = readRecordId(recordId)
    const [record] = await this.#access.read(this.#store, actor, model, [id])
    const missing = new AppError('RECORD_NOT_FOUND', noSuchRecord(model, id))
    if (record === undefined && !actor.isSuperuser) throw missing
    const asked = this.#asked(query)
    if (!this.covers(model)) throw this.#historyOff(model)
    const own = ownEntries(model, id)
    const reader = new HistoryReader(this.#access, this.#store, actor, model)
    if (record !== undefined && !reader.seesAll) return this.#pageOf(await reader.entriesOf(record, own), asked)
    const { json, total } = await this.#page(asked, own)
    if (record === undefined && total === 0) throw missing
    return json
  }

  /** The deletion of a record, if it is the last change of it, and the other changes of its request. */
  async deletionOf(model: Model, id: number): Promise<readonly RecordedChange[]> {
    if (!this.covers(model)) throw this.#historyOff(model)
    const own = ownEntries(model, id)
    const [last] = (await this.#store.find(HISTORY, { filters: own, sort: LATEST_FIRST, offset: 0, limit: 1 })).records
    if (last?.action !== 'delete') return []
    if (last.request_id == null) return [recordedChange(last)]
    const filters: FieldFilter[] = (['at', 'request_id'] as const).map((field) => {
      return { field, operator: 'eq', value: last[field] ?? null }
    })
    const others: RecordedChange[] = []
    for await (const entries of this.#store.stream(HISTORY, { filters, sort: [] })) {
      others.push(...entries.filter((entry) => entry.id !== last.id).map(recordedChange))
    }
    return [recordedChange(last), ...others]
  }

  async #page({ plan, page }: PlainListQuery, own: readonly FieldFilter[]): Promise<{ json: string; total: number }> {
    const { records, total } = await this.#store.find(HISTORY, { ...plan, filters: [...own, ...plan.filters] })
    return { json: pageJson(this.#entriesJson(records), total, page), total }
  }

  /** A page of entries as a reader may see them: filters and sort order apply to what is shown, so that they reveal nothing else. */
  #pageOf(entries: readonly StoredRecord[], { plan, page }: PlainListQuery): string {
    const matches = matcher({ all: plan.filters })
    const found = entries.filter(matches).sort(comparer(plan.sort))
    const shown = found.slice(plan.offset, plan.offset + plan.limit)
    return pageJson(this.#entriesJson(shown), found.length, page)
  }

  #entriesJson(entries: readonly StoredRecord[]): string {
    return JSON.stringify(entries.map((entry) => presentEntry(this.#withUrls(entry))))
  }

  /** An entry with the addresses of the files in its values. Those of files that the record has no more lead nowhere until it is restored. */
  #withUrls(entry: StoredRecord): StoredRecord {
    const model = this.#access.registry.get(String(entry.model))
    if (model === undefined || model.fileFields.length === 0) return entry
    const id = Number(entry.record_id)
    const changes = Object.entries(entry.changes as unknown as RecordedChange['changes']).map(([name, change]) => {
      const { before, after } = change
      const urls = { before: this.#urls.within(model, id, name, before), after: this.#urls.within(model, id, name, after) }
      return [name, model.fields.get(name)?.file === undefined ? change : { ...change, ...urls }] as const
    })
    return { ...entry, changes: Object.fromEntries(changes) }
  }

  #historyOff(model?: Model): AppError {
    const reason = this.isOn ? 'its model has `history: false`' : 'the setting `history: { days: 90 }` turns it on'
    return new AppError('HISTORY_OFF', `The history of ${model?.name ?? 'records'} is not recorded; ${reason}`)
  }

  #asked(query: string): PlainListQuery {
    const asked = parsePlainList(new URLSearchParams(query), this.#model, this.#access.registry)
    return asked.plan.sort.length > 0 ? asked : { ...asked, plan: { ...asked.plan, sort: LATEST_FIRST } }
  }
}

const ownEntries = (model: Model, id: number): FieldFilter[] => [
  { field: 'record_id', operator: 'eq', value: id },
  { field: 'model', operator: 'eq', value: model.key },
]

const recordedChange = ({ model, record_id: recordId, action, via, changes }: StoredRecord): RecordedChange => ({
  model: String(model),
  recordId: Number(recordId),
  action: String(action),
  isCascade: via === 'cascade',
  changes: changes as unknown as RecordedChange['changes'],
})

const LATEST_FIRST = [{ field: 'id', order: 'desc' }] as const

function presentEntry(entry: StoredRecord): object {
  const { id, model, record_id, action, at, user_id, username, via, request_id, changes } = entry
  const user = user_id === null ? null : { id: user_id, username }
  return { id, model, record_id, action, at, user, via, request_id, changes }
}
