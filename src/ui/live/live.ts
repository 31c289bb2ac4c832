import type { QueryClient } from '@tanstack/react-query'
import type { ChangeEvent } from '../../client/client.ts'
import { refreshModel } from '../data/records.ts'
import type { PageSession } from '../session/page-session.ts'

/** Milliseconds in which changes of a model are collected before its lists are read again. */
const COLLECT_MS = 300
/** Milliseconds without a connection until the page says so; a short break is not worth a message. */
const PATIENCE_MS = 3000

/** Keeps the page up to date: reads again what others have changed, and knows whether the connection stands. */
export class Live {
  readonly #session: PageSession
  readonly #queries: QueryClient
  readonly #listeners = new Set<(change: ChangeEvent) => void>()
  readonly #connectionListeners = new Set<() => void>()
  readonly #changed = new Map<string, ReturnType<typeof setTimeout>>()
  #isConnected = false
  #isOffline = false
  #offlineTimer: ReturnType<typeof setTimeout> | undefined

  constructor(session: PageSession, queries: QueryClient) {
    this.#session = session
    this.#queries = queries
  }

  /** True while changes are reported. */
  readonly isConnected = (): boolean => this.#isConnected

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

  /** Follows the changes of all models that the user may view, until the signal is aborted. */
  async follow(signal: AbortSignal): Promise<void> {
    try {
      await this.#session.run((client) =>
        client.subscribe({
          onChange: (change) => this.#take(change),
          onReset: () => void this.#queries.invalidateQueries(),
          onConnection: (isConnected) => this.#setConnected(isConnected),
          signal,
        }),
      )
    } catch {
      // The user has logged out, or the server has no events for them: lists are read again when the window gets the focus.
      this.#setConnected(false)
    }
  }

  #take(change: ChangeEvent): void {
    for (const listener of this.#listeners) listener(change)
    if (this.#changed.has(change.model)) return
    const refresh = () => {
      this.#changed.delete(change.model)
      void refreshModel(this.#queries, change.model)
    }
    this.#changed.set(change.model, setTimeout(refresh, COLLECT_MS))
  }

  #setConnected(isConnected: boolean): void {
    const wasConnected = this.#isConnected
    this.#isConnected = isConnected
    clearTimeout(this.#offlineTimer)
    if (isConnected) {
      this.#setOffline(false)
      if (!wasConnected) void this.#queries.invalidateQueries({ queryKey: ['records'] })
    } else {
      this.#offlineTimer = setTimeout(() => this.#setOffline(true), PATIENCE_MS)
    }
  }

  #setOffline(isOffline: boolean): void {
    if (isOffline === this.#isOffline) return
    this.#isOffline = isOffline
    for (const listener of this.#connectionListeners) listener()
  }
}
