import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { ADMIN_BIN } from '../helpers/cli/process.ts'
import { temporaryFolder } from '../helpers/fixture.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Ports of the documentation. Each is replaced by a free port. */
const PORTS = [8000, 3000] as const

/** The result of running a block. */
export interface Ran {
  readonly code: number
  /** stdout and stderr as a terminal shows them, or only stdout. */
  readonly output: string
  /** HTTP statuses of the requests of `curl`, in order. */
  readonly statuses: readonly number[]
}

/** A shell in a temporary folder. Variables and the current folder persist from one block to the next. */
export interface Shell {
  /** The current folder. */
  readonly folder: string
  run(code: string, what?: { stdoutOnly?: boolean }): Promise<Ran>
  /** Starts a command that does not end, after stopping an earlier run of the same program. Waits until its output matches `until`. */
  start(code: string, until: RegExp): Promise<void>
  /** Waits until the output of a started program matches. @param program its first two words */
  said(program: string, until: RegExp): Promise<void>
  /** Stops all started programs. */
  stop(): Promise<void>
  write(file: string, content: string): Promise<void>
  close(): Promise<void>
}

// `npm install ./admin-folder-….tgz` links this package instead of downloading it. `curl` also records the status of each response.
const PRELUDE = `
npm() {
  [[ "$*" == 'install ./admin-folder-'*.tgz ]] || { echo "npm $* is not supported by this test"; return 1; }
  mkdir -p node_modules/.bin && ln -s ${ROOT} node_modules/admin-folder && ln -s ${ADMIN_BIN} node_modules/.bin/admin
}
curl() {
  local code=0 answer; answer=$(mktemp)
  command curl -sS -o "$answer" -w '%{http_code}\\n' "$@" >> "$DOCS_STATE/statuses" || code=$?
  cat "$answer"; rm "$answer"; return $code
}
`

export async function openShell(): Promise<Shell> {
  const home = await temporaryFolder()
  const state = join(home.path, '.state')
  let folder = join(home.path, 'work')
  await mkdir(join(state, 'bin'), { recursive: true })
  await mkdir(folder)
  // TypeScript files in any folder below resolve the package here.
  await mkdir(join(home.path, 'node_modules'))
  await symlink(ROOT, join(home.path, 'node_modules/admin-folder'))
  await mkdir(join(home.path, 'node_modules/.bin'))
  await symlink(ADMIN_BIN, join(home.path, 'node_modules/.bin/admin'))
  await symlink(ADMIN_BIN, join(state, 'bin/admin'))
  await symlink(join(ROOT, 'node_modules/.bin/tsx'), join(state, 'bin/tsx'))
  await writeFile(join(state, 'variables'), '')
  const ports = await Promise.all(PORTS.map(freePort))
  const mapped = (text: string, from: readonly unknown[], to: readonly unknown[]) =>
    from.reduce<string>((all, port, at) => all.replaceAll(new RegExp(`\\b${port}\\b`, 'g'), String(to[at])), text)
  const here = (text: string) => mapped(text, PORTS, ports)
  const shown = (text: string) => mapped(text, ports, PORTS)
  const env = {
    PATH: `${join(state, 'bin')}:${process.env.PATH}`,
    HOME: home.path,
    DOCS_STATE: state,
    ADMIN_PORT: String(ports[0]),
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
    GIT_CONFIG_COUNT: '3',
    GIT_CONFIG_KEY_0: 'user.name',
    GIT_CONFIG_VALUE_0: 'Ann',
    GIT_CONFIG_KEY_1: 'user.email',
    GIT_CONFIG_VALUE_1: 'ann@example.com',
    GIT_CONFIG_KEY_2: 'init.defaultBranch',
    GIT_CONFIG_VALUE_2: 'main',
  }
  const running = new Map<string, { child: ChildProcess; written: { stdout: string; stderr: string } }>()

  const bash = (script: string) =>
    spawn('bash', ['--noprofile', '--norc', '-euo', 'pipefail', '-c', script], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
  const restored = `. "$DOCS_STATE/variables"; set -a; ${PRELUDE}`

  async function end(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
    const ended = once(child, 'close')
    process.kill(-child.pid, 'SIGINT')
    await ended
  }

  async function said(program: string, until: RegExp): Promise<void> {
    const { child, written } = running.get(program) ?? assert.fail(`${program} is not running`)
    while (!until.test(shown(written.stdout)) && !until.test(shown(written.stderr))) {
      assert.equal(child.exitCode, null, `${program} has ended: ${written.stdout}${written.stderr}`)
      await Promise.race([once(child.stdout ?? child, 'data'), once(child.stderr ?? child, 'data'), once(child, 'close')])
    }
  }

  return {
    get folder() {
      return folder
    },
    async run(code, { stdoutOnly = false } = {}) {
      await writeFile(join(state, 'statuses'), '')
      const leave = `trap 'export -p > "$DOCS_STATE/variables"; pwd > "$DOCS_STATE/folder"' EXIT`
      const child = bash(`${leave}\n${restored}\n${stdoutOnly ? '' : 'exec 2>&1'}\n${here(code)}`)
      let output = ''
      let complaints = ''
      child.stdout.on('data', (chunk) => {
        output += chunk
      })
      child.stderr.on('data', (chunk) => {
        complaints += chunk
      })
      const [exit] = await once(child, 'close')
      folder = (await readFile(join(state, 'folder'), 'utf8')).trim()
      const statuses = (await readFile(join(state, 'statuses'), 'utf8')).split('\n').filter(Boolean).map(Number)
      return { code: exit ?? -1, output: shown(exit === 0 ? output : output + complaints).replaceAll('\r\n', '\n'), statuses }
    },
    async start(code, until) {
      const program = programOf(code)
      const before = running.get(program)
      if (before !== undefined) await end(before.child)
      // `exec` replaces the shell, so that the signal reaches the program.
      const child = bash(`${restored}\n${here(code.trim()).replace(WITH_VARIABLES, '$1exec ')}`)
      const written = { stdout: '', stderr: '' }
      for (const name of ['stdout', 'stderr'] as const) {
        child[name].on('data', (chunk) => {
          written[name] += chunk
        })
      }
      running.set(program, { child, written })
      await said(program, until)
    },
    said,
    async stop() {
      await Promise.all([...running.values()].map(({ child }) => end(child)))
    },
    async write(file, content) {
      await mkdir(join(folder, file, '..'), { recursive: true })
      await writeFile(join(folder, file), here(content))
    },
    async close() {
      await Promise.all([...running.values()].map(({ child }) => end(child)))
      await home.remove()
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address === 'string' || address === null) throw new Error('No port is free')
  return address.port
}

/** Variable assignments before a command. */
const WITH_VARIABLES = /^((?:\w+=(?:\$\([^)]*\)|\S*) )*)/

/** The key of a program: its first two words. */
export const programOf = (command: string): string =>
  command.trim().replace(WITH_VARIABLES, '').replace(/^npx /, '').split(' ').slice(0, 2).join(' ')
