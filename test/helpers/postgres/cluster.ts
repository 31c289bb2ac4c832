import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
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
  /** Stops the server at once, without an end of its sessions. Its files remain. */
  halt(): Promise<void>
  /** Starts the server again. */
  resume(): Promise<void>
  /** Stops the server and removes its files. */
  stop(): Promise<void>
}

/** Options of a server. */
export interface ClusterOptions {
  /** Settings, such as `max_connections=10`: by default those of tests of logic. */
  readonly settings?: readonly string[]
  /** Password of the user `postgres`; by default the server asks for none. */
  readonly password?: string
  /** Files in the folder of the server, by name. In settings, `$FOLDER` stands for the folder. */
  readonly files?: Readonly<Record<string, string>>
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
  'autovacuum=off',
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
 * A shell that runs the server and stops it at the end of its input, which comes with the end of the process of the tests, even of a killed
 * one. The lines `halt` and `resume` stop and start it meanwhile.
 */
const SHELL = `folder=$1; shift
begin() { "$@" >>"$folder/log" 2>&1 & }
end() { kill -QUIT $!; wait $!; }
begin "$@"
while read -r line; do case $line in halt) end;; resume) begin "$@";; esac; done
end; rm -rf "$folder"`

/** Starts a server of its own in a temporary folder. It stops when this process ends, in whatever way. */
export async function startCluster({ settings = FAST, password, files = {} }: ClusterOptions = {}): Promise<Cluster> {
  const programs = postgresFolder()
  if (programs === undefined) throw new Error('PostgreSQL is not installed')
  const folder = mkdtempSync(join(tmpdir(), 'pg-'))
  const owner = ownerOf()
  const own = (path: string) => owner !== undefined && chownSync(path, owner.uid, owner.gid)
  own(folder)
  for (const [name, text] of Object.entries({ ...files, ...(password !== undefined && { password }) })) {
    writeFileSync(join(folder, name), text, { mode: 0o600 })
    own(join(folder, name))
  }
  const data = join(folder, 'data')
  const asOwner = owner === undefined ? [] : ['setpriv', `--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups']
  const run = (program: string, ...args: readonly string[]) => [...asOwner, join(programs, program), '-D', data, ...args]
  const access = password === undefined ? ['--auth=trust'] : ['--auth=scram-sha-256', `--pwfile=${join(folder, 'password')}`]
  const [command = '', ...options] = run('initdb', ...access, '--username=postgres', '--encoding=UTF8', '--locale=C', '--no-sync')
  execFileSync(command, options, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  const port = await freePort()
  const all = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, ...settings]
  const server = run('postgres', ...all.flatMap((setting) => ['-c', setting.replace('$FOLDER', folder)]))
  const shell = spawn('/bin/sh', ['-c', SHELL, 'sh', folder, ...server], {
    cwd: folder,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const state = join(data, 'postmaster.pid')
  // The server writes `ready` into the file of its process id when it accepts connections.
  const ready = () => until(() => existsSync(state) && /^ready\s*$/m.test(readFileSync(state, 'utf8')), join(folder, 'log'))
  await ready()
  shell.unref()
  if ('unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref()
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    socketUrl: `postgres://postgres@/postgres?host=${encodeURIComponent(folder)}&port=${port}`,
    port,
    halt: async () => {
      shell.stdin.write('halt\n')
      await until(() => !existsSync(state), join(folder, 'log'))
    },
    resume: async () => {
      shell.stdin.write('resume\n')
      await ready()
    },
    stop: async () => {
      shell.ref()
      shell.stdin.end()
      if (shell.exitCode === null) await once(shell, 'exit')
    },
  }
}

/** The server refuses to run as root. The user `postgres` of the package then owns its files. */
export function ownerOf(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' })))
  return uid === undefined || gid === undefined ? undefined : { uid, gid }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Waits until a condition holds. */
async function until(condition: () => boolean, log: string): Promise<void> {
  for (let poll = 0; poll < MAX_POLLS; poll++) {
    if (condition()) return
    await new Promise((resolve) => setTimeout(resolve, POLL))
  }
  throw new Error(`PostgreSQL did not start or stop: ${existsSync(log) ? readFileSync(log, 'utf8') : 'it wrote no log'}`)
}
