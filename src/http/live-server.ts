import type { Server as HttpServer, ServerResponse } from 'node:http'
import type { Server } from '@hapi/hapi'
import type { App, Replacement } from '../app.ts'
import { AppError } from '../errors.ts'
import { type ConnectionLimits, Listener } from './listener.ts'
import { createServer, type ServerOptions } from './server.ts'

export interface LiveOptions extends Omit<ServerOptions, 'replace'> {
  readonly connections?: ConnectionLimits
  /** Prepares a replacement before it answers requests. */
  readonly prepare?: (app: App) => Promise<void>
  /** Starts the background work of an application. */
  readonly begin?: (app: App) => Promise<void>
}

/**
 * A server whose application can be replaced while it runs. The listener and its connections stay. New requests are queued
 * meanwhile; those in flight are answered first.
 */
export class LiveServer {
  readonly #options: LiveOptions & ServerOptions
  /** Accepts the connections of every application served here. */
  readonly listener: Listener
  #app: App
  #server: Server
  /** The last replacement; replacements do not overlap. */
  #turn: Promise<unknown> = Promise.resolve()
  #pending = 0
  #begun: Promise<void> = Promise.resolve()
  #isStopping = false

  private constructor(app: App, server: Server, options: LiveOptions & ServerOptions) {
    this.#app = app
    this.#server = server
    this.listener = new Listener(options.connections)
    this.#options = options
    this.#listenWith(app, server)
  }

  /** Creates a server for an application. It is ready for `inject()`; `start()` makes it listen. */
  static async create(app: App, options: LiveOptions = {}): Promise<LiveServer> {
    const replace: ServerOptions['replace'] = (next, asker) => live.#replaceFor(next, asker)
    const own = { ...options, replace }
    const live = new LiveServer(app, await createServer(app, own), own)
    return live
  }

  /** The present application. */
  get app(): App {
    return this.#app
  }

  /** Its hapi server. */
  get server(): Server {
    return this.#server
  }

  /** @returns the port that the server listens on */
  async start(): Promise<number> {
    const { host, port } = this.#app.settings
    await this.#server.start()
    await this.listener.listen(port, host)
    this.#publishAddress()
    return Number(this.#server.info.port)
  }

  /** Starts the background work of the application. Its replacements start theirs automatically. */
  begin(): Promise<void> {
    const app = this.#app
    const begun = this.#options.begin?.(app) ?? Promise.resolve()
    this.#begun = begun.catch((error: unknown) => app.log.error('Starting the background work failed', { error }))
    return begun
  }

  /** Lets requests in flight finish, and others be answered meanwhile, such as `/readyz`; then cuts their connections. `stop` comes after it. */
  async drain(): Promise<void> {
    this.#isStopping = true
    this.#app.events.stop()
    await this.listener.emptied()
  }

  /** Stops accepting requests and lets those in flight finish. The caller closes the application. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#turn
    await this.#begun
    this.#app.events.stop()
    await this.#server.stop()
    await this.listener.close()
  }

  /**
   * Replaces the application, after any earlier replacement.
   *
   * @throws the error that prevented it; then the former application, or one like it, continues
   */
  replace(next: Replacement): Promise<App> {
    return this.#inTurn(next)
  }

  /** A request that asks for a replacement does not wait for another one, which would in turn wait for this request. */
  async #replaceFor(next: Replacement, asker: ServerResponse): Promise<App> {
    if (this.#pending === 0 && !this.#isStopping) return this.#inTurn(next, asker)
    throw new AppError('SERVER_NOT_READY', 'The project or its data is being replaced already; try again in 1 second', {
      retryAfter: 1,
    })
  }

  #inTurn(next: Replacement, asker?: ServerResponse): Promise<App> {
    this.#pending++
    const done = this.#turn.then(() => this.#replace(next, asker)).finally(() => this.#pending--)
    this.#turn = done.catch(() => {})
    return done
  }

  async #replace(next: Replacement, asker?: ServerResponse): Promise<App> {
    const { gate } = this.listener
    await this.#app.rehearse(next)
    // Background work can be stopped only once it has started.
    await this.#begun
    gate.pause()
    try {
      await gate.settled(asker)
      const { app, failure } = await this.#app.replace(next)
      if (app !== this.#app) await this.#serve(app)
      if (failure !== undefined) throw failure
      return app
    } finally {
      gate.resume()
    }
  }

  async #serve(app: App): Promise<void> {
    await this.#options.prepare?.(app).catch((error: unknown) => app.log.error('Preparing the data failed', { error }))
    const server = await createServer(app, this.#options)
    await server.start()
    this.#app = app
    this.#server = server
    this.#publishAddress()
    this.#listenWith(app, server)
    void this.begin().catch(() => {})
  }

  #listenWith({ settings, traffic }: App, server: Server): void {
    const healthPath = `${settings.base_path}/healthz`
    this.listener.serve({ listener: server.listener as HttpServer, traffic, healthPath })
  }

  /** hapi does not listen itself, so its server does not know the address. */
  #publishAddress(): void {
    const { info } = this.#server
    info.port = this.listener.port ?? info.port
    info.uri = `${info.protocol}://${info.host}:${info.port}`
    this.#app.accountLinks.mails.listensOn(Number(info.port))
  }
}
