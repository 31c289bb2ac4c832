import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { holderOf, lockPath } from '../../src/store/embedded/files/lock.ts'
import { ADMIN_BIN } from '../helpers/cli/process.ts'
import { copyFixture, type TemporaryFolder } from '../helpers/fixture.ts'

/** Waits until the signal of the test, which is aborted at its timeout. */
async function until(isSo: () => boolean, signal: AbortSignal): Promise<void> {
  while (!isSo()) await delay(50, undefined, { signal })
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Starts a command that serves the project, and runs a test with its process and the id of the server's. */
async function withTree(
  [command, ...args]: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv,
  work: (top: ChildProcess, server: number, data: string) => Promise<void>,
): Promise<void> {
  const project: TemporaryFolder = await copyFixture('minimal')
  const bin = join(project.path, 'node_modules/.bin')
  mkdirSync(bin)
  symlinkSync(ADMIN_BIN, join(bin, 'admin'))
  const top = spawn(command, args, { cwd: project.path, env, stdio: ['ignore', 'pipe', 'ignore'] })
  const data = join(project.path, 'data')
  let server: number | undefined
  try {
    await once(top.stdout, 'data')
    server = (await holderOf(lockPath(data)))?.pid
    assert.ok(server !== undefined && server !== top.pid, 'the server is a process below the command')
    await work(top, server, data)
  } finally {
    top.kill('SIGKILL')
    if (server !== undefined && isRunning(server)) process.kill(server, 'SIGKILL')
    await project.remove()
  }
}

const withoutNpm = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith('npm_')))
const quiet = { npm_config_update_notifier: 'false', npm_config_offline: 'true' }
const BOUND = { timeout: 20_000 }

test('killing npx ends the server below it, which closes its data', BOUND, ({ signal }) =>
  withTree(['npx', 'admin', 'serve', '--port', '0'], { ...withoutNpm, ...quiet }, async (top, server, data) => {
    top.kill('SIGTERM')
    await until(() => !isRunning(server), signal)
    assert.equal(await holderOf(lockPath(data)), undefined)
  }),
)

test('without npm, a server outlives the shell that started it', BOUND, () =>
  withTree(['sh', '-c', 'node_modules/.bin/admin serve --port 0 & wait'], withoutNpm, async (top, server, data) => {
    top.kill('SIGKILL')
    await once(top, 'exit')
    // Longer than several checks of the parent.
    await delay(2000)
    assert.equal((await holderOf(lockPath(data)))?.pid, server)
  }),
)
