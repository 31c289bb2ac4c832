import type { Query, QueryClient } from '@tanstack/react-query'
import type { ChangeEvent } from '../../client/client.ts'
import type { PageSession } from './page-session.ts'
import { refreshModel } from './records.ts'

/** Milliseconds without a connection until the page says so; a short break is not worth a message. */
const OFFLINE_AFTER_MS = 3000

/** Keeps the page up to date: reads again what others have changed, and knows whether the connection stands. */
export class Live {
  readonly #session: PageSession
  readonly #queries: QueryClient
  readonly #listeners = new Set<(change: ChangeEvent) => void>()
  readonly #connectionListeners = new Set<() => void>()
  readonly #modelRefreshes = new Refreshes((model) => void refreshModel(this.#queries, model))
  readonly #siteRefreshes = new Refreshes((key) => void this.#queries.invalidateQueries({ queryKey: [key] }))
  /** Reads of records that began before the stream was requested, and so may lack changes that it does not report. */
  #earlierReads: ReadonlySet<Query> = new Set()
  /** Ends the following; undefined before it begins. */
  #following: AbortController | undefined
  #isConnected = false
  #isOffline = false
  #offlineTimer: ReturnType<typeof setTimeout> | undefined

  constructor(session: PageSession, queries: QueryClient) {
    this.#session = session
    this.#queries = queries
  }

  /** True once the connection has been missing for a while. */
  readonly isOffline = (): boolean => this.#isOffline

  /** Registers a listener for the connection; returns a function that removes it. */
  readonly onConnection = (listener: () => void): (() => void) => {
    this.#connectionListeners.add(listener)
    return () => this.#connectionListeners.delete(listener)
  }

  /** Registers a listener for changes of records; returns a function that removes it. */
  readonly onChange = (listener: (change: ChangeEvent) => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Follows the changes of all models that the user may view, until the signal is aborted. Without a connection, the focus of the window
   * tries it again at once and reads again what the page shows.
   */
  follow(signal: AbortSignal): void {
    this.begin()
    const following = this.#following
    const end = () => {
      following?.abort()
      this.#following = undefined
    }
    signal.addEventListener('abort', end, { once: true })
  }

  /**
   * Begins to follow, before the page is rendered that calls `follow`: what is read after this need not be read again when the stream is
   * open.
   */
  begin(): void {
    if (this.#following !== undefined) return
    this.#following = new AbortController()
    void this.#run(AbortSignal.any([this.#following.signal, this.#session.untilLogout]))
  }

  async #run(signal: AbortSignal): Promise<void> {
    // A stream that never connects reports no end of a connection.
    if (!signal.aborted) this.#setConnected(false)
    while (!signal.aborted) {
      const attempt = new AbortController()
      const listening = AbortSignal.any([signal, attempt.signal])
      const renew = () => attempt.abort()
      const renewIfBroken = () => {
        if (this.#isConnected || this.#session.state() !== 'logged-in' || document.visibilityState === 'hidden') return
        this.#refreshAll()
        renew()
      }
      // A network that ends may break the stream without a sign of it. A server on this machine can still be reached.
      window.addEventListener('offline', renew, { signal: listening })
      window.addEventListener('online', renew, { signal: listening })
      window.addEventListener('focus', renewIfBroken, { signal: listening })
      document.addEventListener('visibilitychange', renewIfBroken, { signal: listening })
      await this.#attempt(listening)
      if (!signal.aborted) this.#setConnected(false)
    }
    clearTimeout(this.#offlineTimer)
    this.#offlineTimer = undefined
    this.#isConnected = false
    this.#setOffline(false)
  }

  /** Follows the changes until the signal is aborted. */
  async #attempt(signal: AbortSignal): Promise<void> {
    try {
      await this.#session.run((client) =>
        client.subscribe({
          onChange: (change) => this.#take(change),
          onReset: () => void this.#queries.invalidateQueries(),
          onRequest: () => {
            this.#earlierReads = new Set(this.#queries.getQueryCache().findAll({ queryKey: ['records'] }))
          },
          onConnection: (isConnected) => this.#setConnected(isConnected),
          signal,
        }),
      )
    } catch {
      // The server refuses the stream for good: the focus of the window tries again.
      this.#setConnected(false)
    }
    await aborted(signal)
  }

  #take(change: ChangeEvent): void {
    for (const listener of this.#listeners) listener(change)
    this.#modelRefreshes.note(change.model)
    // The menu shows the numbers of records, lists the saved views.
    if (change.action !== 'update' || change.model === 'savedview') this.#siteRefreshes.note('site')
  }

  #refreshAll(): void {
    void this.#queries.invalidateQueries({ queryKey: ['records'] })
  }

  #setConnected(isConnected: boolean): void {
    if (isConnected) {
      clearTimeout(this.#offlineTimer)
      this.#offlineTimer = undefined
      this.#setOffline(false)
      if (!this.#isConnected) void this.#queries.invalidateQueries({ predicate: (query) => this.#earlierReads.has(query) })
    } else {
      this.#offlineTimer ??= setTimeout(() => this.#setOffline(true), OFFLINE_AFTER_MS)
    }
    this.#isConnected = isConnected
  }

  #setOffline(isOffline: boolean): void {
    if (isOffline === this.#isOffline) return
    this.#isOffline = isOffline
    for (const listener of this.#connectionListeners) listener()
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** Milliseconds in which changes are collected before they are read. */
const COLLECT_MS = 300
/** Milliseconds after a reading until the next one, so that an import by others is not a request for each of its steps. */
const REST_MS = 2000

/** Reads again what has changed: soon after the first change, and at most once in two seconds while changes go on. */
class Refreshes {
  readonly #refresh: (subject: string) => void
  /** Subjects that are read soon, or were just read; true if something has changed since. */
  readonly #due = new Map<string, boolean>()

  /** @param refresh reads a subject, such as the lists of a model */
  constructor(refresh: (subject: string) => void) {
    this.#refresh = refresh
  }

  /** Notes a change of a subject. */
  note(subject: string): void {
    const isWaiting = this.#due.has(subject)
    this.#due.set(subject, true)
    if (!isWaiting) setTimeout(() => this.#read(subject), COLLECT_MS)
  }

  #read(subject: string): void {
    if (this.#due.get(subject) !== true) {
      this.#due.delete(subject)
      return
    }
    this.#due.set(subject, false)
    this.#refresh(subject)
    setTimeout(() => this.#read(subject), REST_MS)
  }
}
