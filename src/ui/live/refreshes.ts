/** Milliseconds in which changes are collected before they are read. */
const COLLECT_MS = 300
/** Milliseconds after a reading until the next one, so that an import by others is not a request for each of its steps. */
const REST_MS = 2000

/** Reads again what has changed: soon after the first change, and at most once in two seconds while changes go on. */
export class Refreshes {
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
