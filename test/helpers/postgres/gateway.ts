import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** A port before a server that can be closed and opened again, as by a restart of the server: clients lose connections and get no new ones. */
export class Gateway {
  readonly port: number
  readonly #target: number
  readonly #sockets = new Set<Socket>()
  #server: Server

  private constructor(server: Server, target: number) {
    this.#server = server
    this.#target = target
    const address = server.address()
    this.port = typeof address === 'object' && address !== null ? address.port : 0
    server.on('connection', (client) => this.#join(client))
  }

  /** @param target port of the server on this machine */
  static async start(target: number): Promise<Gateway> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Gateway(server, target)
  }

  /** Number of open connections. */
  get connections(): number {
    return this.#sockets.size / 2
  }

  #join(client: Socket): void {
    const upstream = connect(this.#target, '127.0.0.1')
    for (const socket of [client, upstream]) {
      this.#sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        this.#sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.pipe(upstream)
    upstream.pipe(client)
  }

  /** Cuts all connections and refuses new ones. */
  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  /** Accepts connections again, at the same port. */
  async open(): Promise<void> {
    this.#server = createServer((client) => this.#join(client)).listen(this.port, '127.0.0.1')
    await once(this.#server, 'listening')
  }
}
