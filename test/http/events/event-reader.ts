const PATIENCE_MS = 20_000

/** An event of a stream. */
export interface ReadEvent {
  readonly event: string
  readonly id: string | undefined
  readonly data: Readonly<Record<string, unknown>>
}

/** Reads a stream of events until it ends or `stop` is called. */
export class EventReader {
  readonly events: ReadEvent[] = []
  readonly ended: Promise<void>
  readonly #abort: AbortController
  #waiting: { readonly test: () => boolean; readonly done: () => void }[] = []

  private constructor(response: Response, abort: AbortController) {
    this.#abort = abort
    this.ended = this.#read(response).catch(() => {})
  }

  /** Opens a stream. The response is that of a refusal if its status is not 200. */
  static async open(url: string, token: string, lastId?: string): Promise<{ response: Response; reader: EventReader }> {
    const abort = new AbortController()
    const headers = { authorization: `Bearer ${token}`, ...(lastId === undefined ? {} : { 'last-event-id': lastId }) }
    const response = await fetch(url, { headers, signal: abort.signal })
    return { response, reader: new EventReader(response, abort) }
  }

  get changes(): readonly ReadEvent[] {
    return this.events.filter(({ event }) => event === 'change')
  }

  get lastId(): string | undefined {
    return this.events.findLast(({ id }) => id !== undefined)?.id
  }

  /** Resolves once the events satisfy a condition. @throws {Error} if they do not within 20 s */
  until(test: (reader: EventReader) => boolean): Promise<void> {
    return new Promise((done, fail) => {
      const tooLong = setTimeout(() => fail(new Error(`Told of ${JSON.stringify(this.events.slice(-20))}`)), PATIENCE_MS)
      this.#waiting.push({
        test: () => test(this),
        done() {
          clearTimeout(tooLong)
          done()
        },
      })
      this.#check()
    })
  }

  stop(): void {
    this.#abort.abort()
  }

  #check(): void {
    this.#waiting = this.#waiting.filter(({ test, done }) => {
      if (!test()) return true
      done()
      return false
    })
  }

  async #read(response: Response): Promise<void> {
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const member = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
        const [event, data] = [member('event'), member('data')]
        if (event !== undefined) this.events.push({ event, id: member('id'), data: JSON.parse(data ?? '{}') })
      }
      this.#check()
    }
  }
}
