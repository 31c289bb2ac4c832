import { setImmediate } from 'node:timers/promises'
import { type AccessRules, matchesRecord } from '../access/access-rules.ts'
import { changesActors } from '../accounts/actor-cache.ts'
import type { Logins } from '../accounts/logins.ts'
import type { Actor } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log/log.ts'
import type { Filter } from '../query/plan.ts'
import type { ChangeLog } from '../store/changes.ts'
import type { Store } from '../store/store.ts'
import type { Clock, Timer } from '../util/clock.ts'
import { type Random, uniqueId } from '../util/ids.ts'
import { ChangeFeed, eventText, type FeedChange } from './change-feed.ts'
import { SharedChanges } from './shared-changes.ts'

/** Subscribers are told of changes in batches, at most this long after the first. In milliseconds. */
const FLUSH_MS = 100
/** Interval of comments, which keep proxies from closing a stream. In milliseconds. */
const COMMENT_MS = 25_000
/** The longest time that a timer takes, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1
/**
 * Interval in which the keys of streams are read again where other processes may revoke them, in milliseconds. With `FLUSH_MS` and the 250 ms
 * in which a process learns of others' changes of accounts, a stream ends within 500 ms.
 */
const WATCH_MS = 100
const MAX_STREAMS = 200
const MAX_STREAMS_OF_USER = 5
/** `Retry-After` beyond those limits, in seconds. */
const RETRY_AFTER = 30
/** A subscriber with more unread text is cut off. In bytes. */
const MAX_BACKLOG = 1 << 20
/** Streams that are served before other work, which takes about 0.2 ms. */
const AT_ONCE = 4

const COMMENT = ':\n\n'

/** The destination of the text of a stream. */
export interface EventSink {
  write(text: string | Buffer): void
  /** Text that the system has not taken over yet, since the client does not read. In bytes. */
  readonly backlog: number
  /** Ends the stream after what was written. */
  end(): void
  /** Ends the stream and its connection at once. */
  destroy(): void
}

/** A request for a stream. */
interface StreamRequest {
  /** The access token or API key of the request. */
  readonly token: string
  /** Keys of the models to be told of; all that the user may view when absent. */
  readonly models: readonly string[] | undefined
  /** The header `Last-Event-ID`. */
  readonly lastEventId: string | undefined
}

interface Stream {
  readonly token: string
  readonly userId: number | undefined
  /** True for an API key. */
  readonly hasKey: boolean
  readonly models: ReadonlySet<string> | undefined
  readonly sink: EventSink
  position: number
  cancelExpiry: () => void
}

interface EventStreamParts {
  readonly access: AccessRules
  readonly store: Store
  /** The changes of other processes; undefined for a store of one process. */
  readonly changeLog: ChangeLog | undefined
  readonly logins: Logins
  readonly clock: Clock
  readonly timer: Timer
  readonly random: Random
  readonly log: Log
}

/** Tells subscribers of changes of the records that they may view. The events contain no data of records. */
export class EventStreams {
  readonly #parts: EventStreamParts
  readonly #feed: ChangeFeed
  /** Adds the changes of other processes to the feed. */
  readonly #others: SharedChanges | undefined
  readonly #streams = new Set<Stream>()
  #cancelFlush: (() => void) | undefined
  #cancelComments: (() => void) | undefined
  #cancelWatch: (() => void) | undefined
  #flushing = false

  constructor(parts: EventStreamParts) {
    this.#parts = parts
    const { access, store, changeLog, clock, timer, random, log } = parts
    const epoch = uniqueId(random)
    this.#feed = new ChangeFeed({ registry: access.registry, store, clock, epoch }, () => this.#scheduleFlush())
    const isUsed = () => this.#streams.size > 0
    const now = () => performance.now()
    // The stream of a key that is revoked, and of an account that is disabled, ends at once.
    store.onChange(
      (changes) => {
        if (changes.some(changesActors)) this.#scheduleFlush()
      },
      () => {},
    )
    this.#others = changeLog && new SharedChanges({ feed: this.#feed, changeLog, isUsed, timer, now, log })
  }

  /** Number of open streams. */
  get size(): number {
    return this.#streams.size
  }

  /**
   * Opens a stream. It begins with the event `ready`, or `reset` if changes since `Last-Event-ID` are not known.
   *
   * @returns closes the stream, for a client that has gone
   * @throws {AppError} UNAUTHENTICATED, MODEL_NOT_FOUND, FORBIDDEN, RATE_LIMITED
   */
  async open({ token, models, lastEventId }: StreamRequest, makeSink: () => EventSink): Promise<() => void> {
    const { logins, access, clock, timer } = this.#parts
    const feed = this.#feed
    const actor = await logins.actorOfToken(token)
    for (const key of models ?? []) access.modelFor(actor, 'view', key)
    await this.#others?.follow()
    const own = [...this.#streams].filter(({ userId }) => userId === actor.userId)
    if (own.length >= MAX_STREAMS_OF_USER || this.#streams.size >= MAX_STREAMS) {
      const limit = own.length >= MAX_STREAMS_OF_USER ? `${MAX_STREAMS_OF_USER} for each user` : `${MAX_STREAMS} in all`
      throw new AppError('RATE_LIMITED', `Too many event streams are open (${limit}); close one`, { retryAfter: RETRY_AFTER })
    }
    feed.keep()
    const resumed = lastEventId === undefined ? undefined : feed.positionOf(lastEventId)
    const remaining = Math.max(0, (logins.endOf(token, actor) ?? Number.POSITIVE_INFINITY) - clock())
    const stream: Stream = {
      ...{ token, userId: actor.userId, hasKey: actor.key !== undefined },
      models: models === undefined ? undefined : new Set(models),
      sink: makeSink(),
      position: resumed ?? feed.last,
      // A key may be good for longer than a timer takes; each change asks anyway.
      cancelExpiry: remaining > MAX_TIMER_MS ? () => {} : timer(remaining, () => this.#end(stream, 'expired')),
    }
    this.#streams.add(stream)
    const first = lastEventId !== undefined && resumed === undefined ? 'reset' : 'ready'
    stream.sink.write(eventText(first, '{}', feed.idOf(stream.position)))
    this.#scheduleComments()
    if (stream.hasKey) this.#watchKeys()
    if (stream.position < feed.last) this.#scheduleFlush()
    return () => this.#forget(stream)
  }

  /** Ends all streams with `reset`, before the application is replaced or stops. */
  stop(): void {
    for (const stream of this.#streams) {
      // A client that does not read would delay it.
      if (stream.sink.backlog > 0) this.#cut(stream)
      else this.#end(stream, 'reset')
    }
    this.#cancelFlush?.()
    this.#cancelWatch?.()
    this.#others?.close()
  }

  #forget(stream: Stream): void {
    if (!this.#streams.delete(stream)) return
    stream.cancelExpiry()
    if (this.#streams.size > 0) return
    this.#cancelComments?.()
    this.#cancelComments = undefined
  }

  #end(stream: Stream, event: 'reset' | 'expired'): void {
    if (!this.#streams.has(stream)) return
    stream.sink.write(eventText(event, '{}'))
    stream.sink.end()
    this.#forget(stream)
  }

  #cut(stream: Stream): void {
    stream.sink.destroy()
    this.#forget(stream)
  }

  #scheduleFlush(): void {
    if (this.#streams.size === 0 || this.#cancelFlush !== undefined) return
    this.#cancelFlush = this.#parts.timer(FLUSH_MS, () => {
      this.#cancelFlush = undefined
      void this.#flush()
    })
  }

  /** Ends the streams of keys that another process has revoked; those of this one are ended by its change. */
  #watchKeys(): void {
    const { store, timer } = this.#parts
    if (!store.isShared || this.#cancelWatch !== undefined) return
    this.#cancelWatch = timer(WATCH_MS, () => {
      this.#cancelWatch = undefined
      if (![...this.#streams].some(({ hasKey }) => hasKey)) return
      this.#scheduleFlush()
      this.#watchKeys()
    })
  }

  #scheduleComments(): void {
    this.#cancelComments ??= this.#parts.timer(COMMENT_MS, () => {
      this.#cancelComments = undefined
      for (const stream of this.#streams) this.#write(stream, COMMENT)
      if (this.#streams.size > 0) this.#scheduleComments()
    })
  }

  /** Tells every subscriber of the changes since the last time. */
  async #flush(): Promise<void> {
    if (this.#flushing) {
      this.#scheduleFlush()
      return
    }
    this.#flushing = true
    try {
      const feed = this.#feed
      const streams = [...this.#streams]
      const end = feed.last
      const batches = new Map<number, ChangeBatch | undefined>()
      for (const { position } of streams) {
        if (batches.has(position)) continue
        const changes = feed.after(position)
        batches.set(position, changes === undefined ? undefined : new ChangeBatch(changes, { ...this.#parts, feed }))
      }
      for (const [index, stream] of streams.entries()) {
        await this.#serve(stream, batches.get(stream.position), end)
        if (index % AT_ONCE === AT_ONCE - 1) await setImmediate()
      }
    } finally {
      this.#flushing = false
    }
  }

  /** @param batch the changes from the position of the stream to the end; undefined if some are not kept */
  async #serve(stream: Stream, batch: ChangeBatch | undefined, end: number): Promise<void> {
    const actor = await this.#parts.logins.actorOfToken(stream.token).catch(() => undefined)
    if (actor === undefined) {
      this.#end(stream, 'expired')
      return
    }
    const text =
      batch === undefined ? eventText('reset', '{}', this.#feed.idOf(end)) : await batch.eventsFor(actor, stream.models)
    stream.position = end
    if (text.length > 0 && this.#streams.has(stream)) this.#write(stream, text)
  }

  #write(stream: Stream, text: string | Buffer): void {
    if (stream.sink.backlog > MAX_BACKLOG) this.#cut(stream)
    else stream.sink.write(text)
  }
}

const NOTHING = Buffer.alloc(0)

/** Consecutive changes, and the events by which users are told of them. Users who may view all records of the same models share a text. */
class ChangeBatch {
  readonly #changes: readonly FeedChange[]
  readonly #tables: readonly string[]
  readonly #feed: ChangeFeed
  readonly #access: AccessRules
  readonly #store: Store
  readonly #shared = new Map<string, Buffer>()
  readonly #events = new Map<FeedChange, string>()

  constructor(changes: readonly FeedChange[], { feed, access, store }: { feed: ChangeFeed; access: AccessRules; store: Store }) {
    this.#changes = changes
    this.#tables = [...new Set(changes.map(({ table }) => table))]
    this.#feed = feed
    this.#access = access
    this.#store = store
  }

  /**
   * The events of the changes that an actor may know of.
   *
   * @param models keys of the models to tell of; all when absent
   */
  async eventsFor(actor: Actor, models: ReadonlySet<string> | undefined): Promise<Buffer> {
    const shown = new Map<string, Filter | undefined>()
    for (const table of this.#tables) {
      if (models?.has(table) === false) continue
      const model = this.#access.registry.expect(table)
      if (this.#access.may(actor, 'view', model)) shown.set(table, this.#access.only(actor, 'view', model))
    }
    if (shown.size === 0) return NOTHING
    if ([...shown.values()].some((only) => only !== undefined)) return this.#filtered(shown)
    const key = [...shown.keys()].join()
    const events = this.#shared.get(key) ?? this.#textOf(this.#changes.filter(({ table }) => shown.has(table)))
    this.#shared.set(key, events)
    return events
  }

  /** For an actor who may view some records of a model only. A record that comes into view, or goes out of it, is told of. */
  async #filtered(shown: ReadonlyMap<string, Filter | undefined>): Promise<Buffer> {
    const visible: FeedChange[] = []
    for (const change of this.#changes) {
      const { table, before, after } = change
      if (!shown.has(table)) continue
      const only = shown.get(table)
      let isVisible = only === undefined
      for (const record of [after, before]) {
        isVisible ||= record !== undefined && only !== undefined && (await matchesRecord(this.#store, only, record))
      }
      if (isVisible) visible.push(change)
    }
    return this.#textOf(visible)
  }

  #textOf(changes: readonly FeedChange[]): Buffer {
    const events = changes.map((change) => {
      const event = this.#events.get(change) ?? this.#feed.eventOf(change)
      this.#events.set(change, event)
      return event
    })
    return Buffer.from(events.join(''))
  }
}
