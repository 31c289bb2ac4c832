/**
 * Lets large writes end that others keep overtaking. A write of many records is drafted between other requests, so that a few steady small
 * writes to its records would make it begin again without end.
 */
export class WriteTurns {
  #turn: Promise<void> | undefined

  /** Runs a write as soon as no other one runs alone. */
  async beside<T>(write: () => Promise<T>): Promise<T> {
    while (this.#turn !== undefined) await this.#turn
    return write()
  }

  /** Runs a write that the writes which begin later wait for. */
  async alone<T>(write: () => Promise<T>): Promise<T> {
    while (this.#turn !== undefined) await this.#turn
    let end = () => {}
    this.#turn = new Promise((resolve) => {
      end = resolve
    })
    try {
      return await write()
    } finally {
      this.#turn = undefined
      end()
    }
  }
}
