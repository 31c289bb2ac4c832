import type { Log } from '../log/log.ts'

/** Faults of project code outside of any request: rejections that nothing awaits, and exceptions that nothing catches. */
export class ProcessFaults {
  #rejections = 0
  #exception: unknown
  #end = (): void => {}
  readonly #log: () => Log

  /** Resolves at the first exception. */
  readonly thrown: Promise<void>

  /** @param log the log of the present application */
  constructor(log: () => Log) {
    this.#log = log
    this.thrown = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  /** Number of rejections that nothing awaited, for `/metrics`. */
  get rejections(): number {
    return this.#rejections
  }

  /** True after an exception that nothing caught: the state of the process is unknown, so it ends. */
  get isEnding(): boolean {
    return this.#exception !== undefined
  }

  /** The message of the first exception. */
  get message(): string {
    return this.#exception instanceof Error ? this.#exception.message : String(this.#exception)
  }

  /** Counts and logs a rejection; serving goes on. */
  reject(error: unknown): void {
    this.#rejections++
    this.#log().error('A promise was rejected and nothing awaits it', { error })
  }

  /** Logs an exception. The first one ends the process. */
  throw(error: unknown): void {
    this.#log().error('An exception was thrown and nothing catches it; the server stops', { error })
    this.#exception ??= error ?? new Error('no error')
    this.#end()
  }
}
