import { AdminError, networkError } from './admin-error.ts'
import { discard, type Wait } from './transport.ts'
import type { ChangeEvent, SubscribeOptions } from './types-site.ts'

/** Maximum delay before the first attempt to connect again, in milliseconds; it doubles with each failed attempt. */
const FIRST_DELAY_MS = 1000
/** Maximum delay before any attempt, in milliseconds. */
const MAX_DELAY_MS = 30_000
/** A stream without a byte for so long is taken as broken, in milliseconds. The server sends a comment every 25 seconds. */
const SILENCE_MS = 60_000

/** Dependencies of a subscription. */
interface SubscriptionParts {
  /** Requests the stream with a valid access token. @throws {AdminError} for an error response, or without a response */
  readonly open: (lastEventId: string | undefined, signal: AbortSignal) => Promise<Response>
  readonly wait: Wait
  /** Returns a number from 0 to less than 1. */
  readonly random: () => number
}

/** Reports changes from a stream of Server-Sent Events, and opens the stream again when it breaks. */
export class Subscription<Key extends string = string> {
  readonly #parts: SubscriptionParts
  readonly #options: Omit<SubscribeOptions<Key>, 'models'>
  #lastEventId: string | undefined
  /** True from a `reset` at the end of a stream until the next one is open, since a read before that could miss changes. */
  #isResetDue = false
  #isConnected = false
  /** Failed attempts since the stream was open. */
  #failures = 0
  /** Seconds that the server demands before the next attempt. */
  #retryAfter = 0

  constructor(parts: SubscriptionParts, options: Omit<SubscribeOptions<Key>, 'models'>) {
    this.#parts = parts
    this.#options = options
  }

  /**
   * Reports changes until the signal is aborted.
   *
   * @throws {AdminError} when the server refuses the stream for good, or the session has ended; or the error of a callback
   */
  async run(): Promise<void> {
    const { signal = new AbortController().signal } = this.#options
    try {
      while (!signal.aborted) {
        for await (const event of this.#attempt(signal)) {
          if (signal.aborted || !(await this.#handle(event))) break
        }
        if (signal.aborted) return
        await this.#setConnected(false)
        const backoff = this.#parts.random() * Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** this.#failures)
        this.#failures += 1
        await this.#parts.wait(Math.max(this.#retryAfter * 1000, backoff), signal)
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  /** The events of one stream, until it ends or breaks. Errors of the reader of the events are not caught here. */
  async *#attempt(signal: AbortSignal): AsyncGenerator<StreamEvent> {
    // Ends the request when this attempt ends, whatever the reason is.
    const attempt = new AbortController()
    const abort = () => attempt.abort(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    this.#retryAfter = 0
    await this.#options.onRequest?.()
    try {
      yield* this.#eventsIn(await this.#parts.open(this.#lastEventId, attempt.signal), attempt.signal)
    } catch (error) {
      if (!isPassing(error)) throw error
      this.#retryAfter = error.retryAfter ?? 0
    } finally {
      signal.removeEventListener('abort', abort)
      attempt.abort()
    }
  }

  /** @returns false if the stream ends with this event */
  async #handle({ type, data, id }: StreamEvent): Promise<boolean> {
    // The next request is rejected with 401, so the token is renewed, or the session has ended.
    if (type === 'expired') return false
    if (type === 'reset' && id === undefined) {
      this.#isResetDue = true
      return false
    }
    if (id !== undefined) this.#lastEventId = id
    if (type === 'change') await this.#options.onChange(JSON.parse(data) as ChangeEvent<Key>)
    if (type !== 'ready' && type !== 'reset') return true
    this.#failures = 0
    const isReset = type === 'reset' || this.#isResetDue
    this.#isResetDue = false
    await this.#setConnected(true)
    if (isReset) await this.#options.onReset?.()
    return true
  }

  async #setConnected(isConnected: boolean): Promise<void> {
    if (this.#isConnected === isConnected) return
    this.#isConnected = isConnected
    await this.#options.onConnection?.(isConnected)
  }

  /** The events of a response. @throws {AdminError} of type `network` when the stream breaks or is silent for too long */
  async *#eventsIn(response: Response, signal: AbortSignal): AsyncGenerator<StreamEvent> {
    const type = response.headers.get('content-type') ?? 'no type'
    if (response.body === null || !type.startsWith('text/event-stream')) {
      await discard(response)
      const message = `The server responded with ${type} instead of events, so it is not an admin-folder; check the address`
      throw new AdminError(message, { type: 'server', status: response.status })
    }
    const reader = response.body.getReader()
    const decoder = new TextDecoder()
    const parser = new EventParser()
    for (;;) {
      const { done, value } = await this.#unlessSilent(reader.read(), signal)
      if (done) return
      yield* parser.push(decoder.decode(value, { stream: true }))
      this.#lastEventId = parser.lastEventId ?? this.#lastEventId
    }
  }

  async #unlessSilent<T>(read: Promise<T>, signal: AbortSignal): Promise<T> {
    const timer = new AbortController()
    const silence = this.#parts.wait(SILENCE_MS, timer.signal).then(() => {
      throw new Error(`no byte in ${SILENCE_MS / 1000} s`)
    })
    try {
      return await Promise.race([read, silence])
    } catch (error) {
      signal.throwIfAborted()
      throw networkError('The stream of events broke', error)
    } finally {
      timer.abort()
    }
  }
}

/** True for an error after which a later attempt may succeed. */
const isPassing = (error: unknown): error is AdminError =>
  error instanceof AdminError &&
  (['network', 'rate_limit', 'unavailable'].includes(error.type) || (error.type === 'server' && (error.status ?? 0) >= 500))

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
