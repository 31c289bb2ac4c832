import { Client } from 'pg'
import { systemTimer, type Timer } from '../../../util/clock.ts'
import { clientConfig, parseAddress } from './address.ts'

/** Milliseconds in which the connection must be made. */
const CONNECT_TIMEOUT_MS = 5000

/** Milliseconds after which a connection that was lost is made again. */
const RECONNECT_DELAY = 5000

/** Receives the notifications of a channel, by a connection of its own. While there is no connection, notifications are missed. */
export class NotificationListener {
  readonly #address: string
  readonly #channel: string
  readonly #heard: (payload: string) => void
  readonly #timer: Timer
  #client: Client | undefined
  #cancelTimer = () => {}
  #isClosed = false

  /**
   * @param address `postgres://…`, of the server itself: a pooler in transaction mode passes no notifications on
   * @param channel a name in small letters
   */
  constructor(address: string, channel: string, heard: (payload: string) => void, timer: Timer = systemTimer) {
    this.#address = address
    this.#channel = channel
    this.#heard = heard
    this.#timer = timer
    this.#connect()
  }

  /** Ends the connection. */
  close(): void {
    this.#isClosed = true
    this.#cancelTimer()
    void this.#client?.end().catch(() => {})
  }

  #connect(): void {
    const client = new Client(clientConfig(parseAddress(this.#address), CONNECT_TIMEOUT_MS))
    this.#client = client
    client.on('notification', ({ payload = '' }) => this.#heard(payload))
    // A client without a listener of errors would end the process when its connection is lost.
    client.on('error', () => {})
    client.on('end', () => this.#connectLater(client))
    client
      .connect()
      .then(() => client.query(`listen ${this.#channel}`))
      .catch(() => {
        this.#connectLater(client)
        void client.end().catch(() => {})
      })
  }

  #connectLater(client: Client): void {
    if (this.#isClosed || this.#client !== client) return
    this.#client = undefined
    this.#cancelTimer = this.#timer(RECONNECT_DELAY, () => this.#connect())
  }
}
