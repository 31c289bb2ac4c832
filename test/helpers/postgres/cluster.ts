import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/** A server of PostgreSQL for tests. */
export interface Cluster {
  /** Address of its database `postgres`, over TCP. */
  readonly url: string
  /** Address over a Unix socket, which is faster. */
  readonly socketUrl: string
  readonly port: number
  /** Stops the server at once and removes its files. */
  stop(): Promise<void>
}

/** Where Debian installs the programs of each version. */
const DEBIAN_FOLDER = '/usr/lib/postgresql'

/** Settings for tests of logic: a crash of the machine may lose everything. */
const FAST = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'shared_buffers=64MB',
  'jit=off',
  'max_connections=200',
]

/** Milliseconds between attempts to find the server ready. */
const POLL = 50
/** Attempts before the start counts as failed: of a slow machine that is busy with other tests. */
const MAX_POLLS = 1200

/** The folder of `initdb` and `postgres`: on the PATH, or the newest of Debian; undefined if there is none. */
export function postgresFolder(): string | undefined {
  const versions = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    ...versions.map((version) => join(DEBIAN_FOLDER, version, 'bin')),
  ]
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
}

/**
 * Starts a server of its own in a temporary folder. It stops when this process ends, in whatever way.
 *
 * @param settings further settings, such as `max_connections=10`
 */
export async function startCluster(settings: readonly string[] = FAST): Promise<Cluster> {
  const programs = postgresFolder()
  if (programs === undefined) throw new Error('PostgreSQL is not installed')
  const folder = mkdtempSync(join(tmpdir(), 'pg-'))
  const asOwner = ownerOf(folder)
  const data = join(folder, 'data')
  const run = (program: string, ...args: readonly string[]) => [...asOwner, join(programs, program), '-D', data, ...args]
  const [command = '', ...options] = run(
    'initdb',
    '--auth=trust',
    '--username=postgres',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
  )
  execFileSync(command, options, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  const port = await freePort()
  const all = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, ...settings]
  const server = run('postgres', ...all.flatMap((setting) => ['-c', setting]))
  // The shell waits for the end of its input, which comes with the end of this process, even of a killed one.
  const script = 'log="$1/log"; folder="$1"; shift; "$@" >"$log" 2>&1 & read -r _; kill -QUIT $!; wait $!; rm -rf "$folder"'
  const shell = spawn('/bin/sh', ['-c', script, 'sh', folder, ...server], {
    cwd: folder,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  await ready(join(data, 'postmaster.pid'), join(folder, 'log'))
  shell.unref()
  if ('unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref()
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    socketUrl: `postgres://postgres@/postgres?host=${encodeURIComponent(folder)}&port=${port}`,
    port,
    stop: async () => {
      shell.ref()
      shell.stdin.end()
      if (shell.exitCode === null) await once(shell, 'exit')
    },
  }
}

/** The server refuses to run as root. The user `postgres` of the package then owns the folder. */
function ownerOf(folder: string): readonly string[] {
  if (process.getuid?.() !== 0) return []
  const [uid, gid] = ['-u', '-g'].map((flag) => execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }).trim())
  chownSync(folder, Number(uid), Number(gid))
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** The server writes `ready` into the file of its process id when it accepts connections. */
async function ready(file: string, log: string): Promise<void> {
  for (let poll = 0; poll < MAX_POLLS; poll++) {
    if (existsSync(file) && /^ready\s*$/m.test(readFileSync(file, 'utf8'))) return
    await new Promise((resolve) => setTimeout(resolve, POLL))
  }
  throw new Error(`PostgreSQL did not start: ${existsSync(log) ? readFileSync(log, 'utf8') : 'it wrote no log'}`)
}
