import type { Server } from '@hapi/hapi'
import { type App, openApp } from '../../../src/app.ts'
import type { SettingsInput } from '../../../src/config/settings.ts'
import { connectTo } from '../../../src/http/in-process.ts'
import { jwtCodec } from '../../../src/http/jwt-codec.ts'
import { LiveServer } from '../../../src/http/live-server.ts'
import { loadProject } from '../../../src/project/project.ts'
import type { Database } from '../../../src/store/postgres/connection/database.ts'
import { PgDatabase } from '../../../src/store/postgres/connection/pg-database.ts'
import { quickHasher } from '../api/app.ts'
import { copyFixture, makeProject } from '../fixture.ts'
import { newSchema } from './schemas.ts'
import { serverAddress, sharedDatabase } from './server.ts'

/** An application with a pool of its own, as a process has it. */
export interface SharingApp {
  readonly app: App
  readonly server: Server
  /** Number of statements that it has sent. */
  statements(): number
  /** Makes it listen on loopback. @returns its port */
  listen(): Promise<number>
  send(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, options?: SendOptions): Promise<Sent>
}

export interface SendOptions {
  readonly token?: string | undefined
  readonly body?: object
}

export interface Sent {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a parse boundary; each test knows the shape of its response
  readonly json: any
}

/** Two applications that serve one project from one database. */
export interface TwoApps extends AsyncDisposable {
  readonly a: SharingApp
  readonly b: SharingApp
  readonly database: Database
  readonly schema: string
  close(): Promise<void>
}

/** Options of `openTwoApps`. */
export interface TwoAppsOptions {
  readonly settings?: SettingsInput
  /** Files of a project of its own, in place of the fixture `blog`. */
  readonly files?: Readonly<Record<string, string>>
}

/** Opens two applications on a schema of their own, with the clock of the system. */
export async function openTwoApps({ settings = {}, files }: TwoAppsOptions = {}): Promise<TwoApps> {
  const [url, database] = [await serverAddress(), await sharedDatabase()]
  const { schema, drop } = newSchema(database)
  const folder = files === undefined ? await copyFixture('blog') : await makeProject(files)
  const flags: SettingsInput = {
    store: { url, schema },
    port: 0,
    secret_key: 'a secret key that is only used in tests of two processes',
    rate_limits: { default: 0, auth: 0, upload: 0 },
    ...settings,
  }
  const open = async (): Promise<SharingApp & { close(): Promise<void> }> => {
    let statements = 0
    const project = await loadProject({ folder: folder.path, env: {}, flags })
    const openDatabase = ({ url: address }: { readonly url: string }, use: 'records' | 'start') =>
      new PgDatabase(address, { pool: use === 'start' ? 2 : 5, observe: () => void statements++ })
    const app = await openApp(project, 'write', { tokenCodec: jwtCodec, connect: connectTo, hasher: quickHasher, openDatabase })
    const live = await LiveServer.create(app, {})
    await live.server.initialize()
    return {
      app,
      server: live.server,
      statements: () => statements,
      listen: () => live.start(),
      async send(method, path, { token, body } = {}) {
        const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
        const { statusCode, payload } = await live.server.inject({
          method,
          url: `/api/v1/${path}`,
          headers,
          ...(body === undefined ? {} : { payload: body }),
        })
        return { status: statusCode, json: JSON.parse(payload) }
      },
      async close() {
        await live.stop()
        await live.app.close()
      },
    }
  }
  const a = await open()
  const b = await open()
  const close = async () => {
    await a.close()
    await b.close()
    await drop()
    await folder.remove()
  }
  return { a, b, database, schema, close, [Symbol.asyncDispose]: close }
}
