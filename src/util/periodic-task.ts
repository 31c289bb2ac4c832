import type { Timer } from './clock.ts'

/** The interval of a periodic task, and what happens with its errors. */
interface PeriodicTaskOptions {
  readonly timer: Timer
  /** Time from the end of a run to the next one, in milliseconds. */
  readonly intervalMs: number
  /** Called with the error of each run but the first. */
  readonly onError: (error: unknown) => void
}

/** Repeats a task until it is stopped. Its runs do not overlap. */
export class PeriodicTask {
  readonly #task: () => Promise<void>
  readonly #options: PeriodicTaskOptions
  #isStopped = false
  #cancel = () => {}

  constructor(task: () => Promise<void>, options: PeriodicTaskOptions) {
    this.#task = task
    this.#options = options
  }

  /** Runs the task now, and again in intervals. @throws what the first run throws; then there is no other */
  async start(): Promise<void> {
    await this.#task()
    this.#plan()
  }

  /** Ends the repetition for good. A run in progress is not interrupted. */
  stop(): void {
    this.#isStopped = true
    this.#cancel()
  }

  #plan(): void {
    const { timer, intervalMs, onError } = this.#options
    if (this.#isStopped) return
    this.#cancel = timer(intervalMs, () => {
      this.#task()
        .catch(onError)
        .then(() => this.#plan())
    })
  }
}
