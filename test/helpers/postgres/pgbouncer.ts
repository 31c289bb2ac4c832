import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { parseAddress } from '../../../src/store/postgres/connection/address.ts'
import { untilOpen } from '../until-open.ts'
import { freePort, ownerOf } from './cluster.ts'
import { NO_POSTGRES, serverAddress } from './server.ts'

/** A PgBouncer in transaction mode before the server of the tests. */
export interface PgBouncer {
  /** Address of the database through PgBouncer. */
  readonly url: string
  stop(): Promise<void>
}

/** Debian installs it where the PATH of a user may not lead. */
const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']

const PROGRAM = FOLDERS.map((folder) => join(folder, 'pgbouncer')).find((path) => existsSync(path))

/** Why tests with PgBouncer are skipped; undefined if they can run. */
export const NO_PGBOUNCER = NO_POSTGRES ?? (PROGRAM === undefined ? 'PgBouncer is not installed' : undefined)

/** Starts a PgBouncer of its own. Its sessions on the server are fewer than its clients need, so that transactions change sessions. */
export async function startPgBouncer(): Promise<PgBouncer> {
  const { host = '127.0.0.1', port = 5432, user = 'postgres', password, database = user } = parseAddress(await serverAddress())
  const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'))
  const own = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  const server = `host=${host} port=${port} user=${user}${password === undefined ? '' : ` password=${password}`}`
  writeFileSync(
    file,
    `[databases]
* = ${server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 200
`,
    { mode: 0o600 },
  )
  // PgBouncer refuses to run as root.
  const owner = ownerOf()
  if (owner !== undefined) for (const path of [folder, file]) chownSync(path, owner.uid, owner.gid)
  const child = spawn(PROGRAM ?? 'pgbouncer', ['-q', file], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'], ...owner })
  await untilOpen(own, 'PgBouncer')
  return {
    url: `postgres://${user}@127.0.0.1:${own}/${database}`,
    async stop() {
      if (child.exitCode === null) {
        child.kill('SIGKILL')
        await once(child, 'close')
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
