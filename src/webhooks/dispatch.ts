import type { Subscriptions } from './subscriptions.ts'
import type { Worker } from './worker.ts'

/** Gives the worker of this process the receivers that it delivers to. */
export interface Dispatch {
  /** Begins with the events that are pending. */
  start(worker: Worker): Promise<void>
  /** Ends after the worker was stopped. */
  stop(stopWorker: () => Promise<void>): Promise<void>
  /** False for a receiver that this process may not send to at present. */
  maySend(receiver: number): boolean
  /** Delivers an event that this process has stored. */
  add(event: number, receivers: readonly number[]): void
  /** Delivers the pending events of a subscription that was created, enabled or changed. */
  resume(receiver: number): Promise<void>
  /** Delivers nothing more to a subscription that was deleted or disabled. */
  suspend(receiver: number): void
  /** Delivers an event again, at once. */
  redeliver(event: number, receiver: number): Promise<void>
}

/** The dispatch of a process that has the store to itself: it delivers to all receivers. */
export class SoleDispatch implements Dispatch {
  readonly #subscriptions: Subscriptions
  #worker: Worker | undefined

  constructor(subscriptions: Subscriptions) {
    this.#subscriptions = subscriptions
  }

  async start(worker: Worker): Promise<void> {
    this.#worker = worker
    for (const { id, active } of this.#subscriptions.all) if (active === true) await worker.resume(id)
  }

  stop(stopWorker: () => Promise<void>): Promise<void> {
    return stopWorker()
  }

  maySend(): boolean {
    return true
  }

  add(event: number, receivers: readonly number[]): void {
    this.#worker?.add(event, receivers)
  }

  async resume(receiver: number): Promise<void> {
    await this.#worker?.resume(receiver)
  }

  suspend(receiver: number): void {
    this.#worker?.suspend(receiver)
  }

  async redeliver(event: number, receiver: number): Promise<void> {
    this.#worker?.redeliver(event, receiver)
  }
}
