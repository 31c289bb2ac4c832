/** Runs something at the end of the present turn of the event loop, as `setImmediate` does. */
export type Later = (work: () => void) => void

interface SharedRead<T> {
  readonly answer: Promise<T>
  /** Number of callers that have not given up. */
  callers: number
  readonly abort: AbortController
}

/** Executes equal reads of one turn of the event loop once. */
export class SharedReads<T> {
  readonly #later: Later
  /** Reads that have not been sent yet. */
  readonly #waiting = new Map<string, SharedRead<T>>()

  constructor(later: Later) {
    this.#later = later
  }

  /**
   * Executes a read, or joins an equal one that has not been sent yet.
   *
   * @param execute must stop when its signal is aborted, which happens when the signals of all callers are
   */
  read(key: string, execute: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (signal?.aborted === true) return Promise.reject(signal.reason)
    const waiting = this.#waiting.get(key)
    const shared = waiting === undefined || waiting.abort.signal.aborted ? this.#start(key, execute) : waiting
    shared.callers++
    return signal === undefined ? shared.answer : until(signal, shared)
  }

  #start(key: string, execute: (signal: AbortSignal) => Promise<T>): SharedRead<T> {
    const abort = new AbortController()
    const answer = new Promise<T>((resolve, reject) => {
      this.#later(() => {
        if (this.#waiting.get(key) === shared) this.#waiting.delete(key)
        if (abort.signal.aborted) reject(abort.signal.reason)
        else execute(abort.signal).then(resolve, reject)
      })
    })
    const shared: SharedRead<T> = { answer, callers: 0, abort }
    this.#waiting.set(key, shared)
    return shared
  }
}

/** The answer of a shared read; rejects when the caller's signal is aborted. */
function until<T>(signal: AbortSignal, shared: SharedRead<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      shared.callers--
      if (shared.callers === 0) shared.abort.abort(signal.reason)
      reject(signal.reason)
    }
    signal.addEventListener('abort', giveUp, { once: true })
    const done = () => signal.removeEventListener('abort', giveUp)
    shared.answer.then(
      (value) => {
        done()
        resolve(value)
      },
      (error: unknown) => {
        done()
        reject(error)
      },
    )
  })
}
