import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const HEAD_END = Buffer.from('\r\n\r\n')
const LAST_CHUNK = Buffer.from('0\r\n\r\n')
const NOTHING = Buffer.alloc(0)

/** A response, parsed only as far as a load needs. `bytes` are head and body. */
export interface RawReply {
  readonly status: number
  readonly bytes: Buffer
}

/** A keep-alive connection with at most one request in flight. It does minimal work per exchange, so that the server limits the rate. */
export class Connection {
  readonly #socket: Socket
  #received: Buffer = NOTHING
  #waiting: { resolve: (reply: RawReply) => void; reject: (error: Error) => void } | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    socket.on('error', (error) => this.#waiting?.reject(error))
    socket.on('close', () => this.#waiting?.reject(new Error('The server closed the connection')))
  }

  static async open(address: URL): Promise<Connection> {
    const socket = connect(Number(address.port), address.hostname)
    await once(socket, 'connect')
    return new Connection(socket)
  }

  /** Sends the text of a request and resolves with the complete response. */
  exchange(request: string): Promise<RawReply> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#socket.write(request)
    })
  }

  close(): void {
    this.#waiting = undefined
    this.#socket.destroy()
  }

  #receive(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    const status = completeStatus(this.#received)
    if (status === undefined) return
    const reply = { status, bytes: this.#received }
    const waiting = this.#waiting
    this.#received = NOTHING
    this.#waiting = undefined
    waiting?.resolve(reply)
  }
}

/** The status of a response, or undefined while it is incomplete. */
function completeStatus(bytes: Buffer): number | undefined {
  const headEnd = bytes.indexOf(HEAD_END)
  if (headEnd === -1) return undefined
  const head = bytes.toString('latin1', 0, headEnd)
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  // No other response follows, and JSON contains no raw line ends, so the last chunk can only be at the end.
  const isComplete =
    length === undefined
      ? bytes.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)
      : bytes.length >= headEnd + HEAD_END.length + Number(length)
  return isComplete ? Number(head.slice(9, 12)) : undefined
}
