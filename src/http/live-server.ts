import type { ServerResponse } from 'node:http'
import type { Server } from '@hapi/hapi'
import type { App, Replacement } from '../app.ts'
import { AppError } from '../errors.ts'
import type { Listener } from './connections/listener.ts'
import { createServer, type ServerOptions } from './server.ts'

export interface LiveOptions extends Omit<ServerOptions, 'listener' | 'replace'> {
  /** Begins what an application does by itself once it is served. */
  readonly begin?: (app: App) => Promise<void>
}

/**
 * A server whose application can be replaced while it runs: the listener and its connections stay. Requests that come meanwhile wait,
 * and those under way are decided before.
 */
export class LiveServer {
  readonly #options: LiveOptions & ServerOptions
  readonly #listener: Listener
  #app: App
  #server: Server
  /** The replacements so far, one behind the other. */
  #turn: Promise<unknown> = Promise.resolve()
  #pending = 0
  #begun: Promise<void> = Promise.resolve()
  #isStopping = false

  private constructor(app: App, server: Server, options: LiveOptions & ServerOptions) {
    this.#app = app
    this.#server = server
    this.#listener = server.listener as Listener
    this.#options = options
  }

  /** Puts an application on HTTP. The server is ready to be injected into; `start()` makes it listen. */
  static async create(app: App, options: LiveOptions = {}): Promise<LiveServer> {
    const replace: ServerOptions['replace'] = (next, asker) => live.#replaceFor(next, asker)
    const own = { ...options, replace }
    const live = new LiveServer(app, await createServer(app, own), own)
    return live
  }

  /** The application that is served at present. */
  get app(): App {
    return this.#app
  }

  /** What serves it. */
  get server(): Server {
    return this.#server
  }

  /** @returns the port that is listened on */
  async start(): Promise<number> {
    await this.#server.start()
    return Number(this.#server.info.port)
  }

  /** Begins what the application does by itself. Of those that take its place nobody has to say so. */
  begin(): Promise<void> {
    const app = this.#app
    const begun = this.#options.begin?.(app) ?? Promise.resolve()
    this.#begun = begun.catch((error: unknown) => app.log.error('What the server does by itself failed', { error }))
    return begun
  }

  /** Takes nothing new, and lets what is open finish. The application is left to the caller. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#turn
    await this.#begun
    await this.#server.stop()
  }

  /**
   * Puts another application in the place of the present one, once those that are to do so before have.
   *
   * @throws what keeps it from being opened; then the present one goes on, or one that is like it
   */
  replace(next: Replacement): Promise<App> {
    return this.#inTurn(next)
  }

  /** Whoever asks by a request is not kept waiting behind others, who would have to wait for this request. */
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
    const { gate } = this.#listener
    await this.#app.rehearse(next)
    // What is only half begun could not be stopped.
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
    this.#app = app
    const attachFormer = this.#listener.detach()
    try {
      const server = await createServer(app, { ...this.#options, listener: this.#listener })
      await server.start()
      // It was not there when the listener was told its port.
      server.info.port = this.#server.info.port
      this.#server = server
    } catch (error) {
      this.#listener.detach()
      attachFormer()
      throw error
    }
    void this.begin().catch(() => {})
  }
}
