/** An event of a stream of Server-Sent Events. */
export interface StreamEvent {
  /** The field `event`; `message` without one. */
  readonly type: string
  readonly data: string
  /** The field `id` of this event; undefined without one. */
  readonly id: string | undefined
}

/**
 * Parses the text of a stream of Server-Sent Events (WHATWG HTML, section 9.2), in pieces of any size.
 *
 * The field `retry` and comments are ignored. An event that the end of the stream cuts off is dropped.
 */
export class EventParser {
  /** The line that is not complete yet. */
  #rest = ''
  /** True if the last piece ended with CR, so that LF at the start of the next one belongs to it. */
  #endedWithReturn = false
  #type = ''
  #data: string[] = []
  #id: string | undefined
  #lastEventId: string | undefined

  /** The id to send as `Last-Event-ID`: that of the last complete event that had one, also if it had no data. */
  get lastEventId(): string | undefined {
    return this.#lastEventId
  }

  /** Returns the events that this piece of text completes. A byte order mark must have been removed, as `TextDecoder` does. */
  push(text: string): StreamEvent[] {
    const piece = this.#endedWithReturn && text.startsWith('\n') ? text.slice(1) : text
    if (text !== '') this.#endedWithReturn = text.endsWith('\r')
    const lines = (this.#rest + piece).split(/\r\n|\n|\r/)
    this.#rest = lines.pop() ?? ''
    return lines.flatMap((line) => this.#event(line) ?? [])
  }

  /** Reads a line; returns an event if the line is empty and ends one. */
  #event(line: string): StreamEvent | undefined {
    if (line !== '') {
      this.#readField(line)
      return undefined
    }
    const event = { type: this.#type || 'message', data: this.#data.join('\n'), id: this.#id }
    const hasData = this.#data.length > 0
    this.#lastEventId = this.#id ?? this.#lastEventId
    this.#type = ''
    this.#data = []
    this.#id = undefined
    return hasData ? event : undefined
  }

  #readField(line: string): void {
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === 'event') this.#type = value
    else if (name === 'data') this.#data.push(value)
    else if (name === 'id' && !value.includes('\0')) this.#id = value
  }
}
