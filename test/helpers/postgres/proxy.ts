import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

interface ProxyState {
  isHeld: boolean
  onRequest: (bytes: Buffer) => void
}

/** A TCP proxy between a test and a server, which can delay, hold back and cut what the server sends. */
export class TcpProxy {
  readonly port: number
  readonly #sockets: Set<Socket>
  readonly #state: ProxyState
  readonly #close: () => Promise<void>

  private constructor(port: number, sockets: Set<Socket>, state: ProxyState, close: () => Promise<void>) {
    this.port = port
    this.#sockets = sockets
    this.#state = state
    this.#close = close
  }

  /** Starts a proxy before a server on this machine. */
  static async start(target: number): Promise<TcpProxy> {
    const sockets = new Set<Socket>()
    const state = { isHeld: false, onRequest: (_: Buffer) => {} }
    const server = createServer((client) => {
      const upstream = connect(target, '127.0.0.1')
      for (const socket of [client, upstream]) {
        sockets.add(socket)
        socket.on('error', () => {})
        socket.on('close', () => {
          sockets.delete(socket)
          client.destroy()
          upstream.destroy()
        })
      }
      client.on('data', (bytes) => {
        state.onRequest(bytes)
        upstream.write(bytes)
      })
      upstream.on('data', (bytes) => {
        if (!state.isHeld) client.write(bytes)
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const close = async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    }
    return new TcpProxy(typeof address === 'object' && address !== null ? address.port : 0, sockets, state, close)
  }

  /** Loses everything that the server sends from now on. */
  hold(): void {
    this.#state.isHeld = true
  }

  resume(): void {
    this.#state.isHeld = false
  }

  /** Cuts all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Calls back with what clients send, before the server receives it. */
  onRequest(call: (bytes: Buffer) => void): void {
    this.#state.onRequest = call
  }

  close(): Promise<void> {
    return this.#close()
  }
}
