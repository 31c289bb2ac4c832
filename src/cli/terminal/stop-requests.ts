const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** How often the parent process is looked at. In milliseconds. */
const PARENT_CHECK_MS = 500

/**
 * Reports requests to stop this process: a signal, or the end of its parent where npm started it.
 *
 * `npx admin serve` runs as npm → sh → node. npm passes SIGTERM to the shell, which ends without passing it on, so that the end of
 * the shell is all that this process learns. Without npm, a parent may end before its server: with `nohup`, or as a daemon.
 */
export class StopRequests {
  readonly #parent: number
  readonly #isOfNpm: boolean

  /** @param env the environment, in which npm sets variables of its own */
  constructor(env: NodeJS.ProcessEnv) {
    this.#parent = process.ppid
    this.#isOfNpm = (env.npm_command ?? env.npm_lifecycle_event) !== undefined
  }

  /**
   * Calls a listener with the reason of each request. Each signal is handled once, so the same signal sent again ends the process immediately.
   *
   * @returns stops listening
   */
  listen(listener: (reason: string) => void): () => void {
    for (const signal of STOP_SIGNALS) process.once(signal, listener)
    const timer = this.#isOfNpm ? setInterval(() => this.#checkParent(listener, timer), PARENT_CHECK_MS).unref() : undefined
    return () => {
      for (const signal of STOP_SIGNALS) process.off(signal, listener)
      clearInterval(timer)
    }
  }

  #checkParent(listener: (reason: string) => void, timer: NodeJS.Timeout | undefined): void {
    if (process.ppid === this.#parent) return
    clearInterval(timer)
    listener('the end of npm')
  }
}
