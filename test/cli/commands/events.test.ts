import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { Command } from 'commander'
import { eventsCommand } from '../../../src/cli/commands/events.ts'
import type { Io } from '../../../src/cli/io.ts'
import { runCli } from '../../helpers/cli/cli.ts'
import { copyFixture, type TemporaryFolder } from '../../helpers/fixture.ts'

/** A run of `admin events`. */
interface Run {
  /** Resolves when so many lines were printed. */
  printed(count: number): Promise<string[]>
  readonly stderr: () => string
  stop(): void
  readonly ended: Promise<unknown>
}

describe('admin events', () => {
  let project: TemporaryFolder

  const admin = (...argv: string[]) => runCli(argv, { cwd: project.path })

  /** Starts the command, and waits until it is subscribed or has ended. @param reads lines after which the reader is gone */
  async function events(argv: readonly string[], { reads = Number.POSITIVE_INFINITY, env = {} } = {}): Promise<Run> {
    const written = { stdout: '', stderr: '' }
    const lines = () => written.stdout.split('\n').slice(0, -1)
    let check = () => {}
    let stop = () => {}
    const stopped = new Promise<string>((resolve) => {
      stop = () => resolve('SIGINT')
    })
    let begin = () => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const io: Io = {
      ...{ stdin: Readable.from(['']), env, cwd: project.path },
      stdout: {
        write(text) {
          written.stdout += text
          check()
        },
        get destroyed() {
          return lines().length >= reads
        },
      },
      stderr: {
        write(text) {
          written.stderr += text
        },
      },
      async stopRequested() {
        begin()
        return stopped
      },
      takeFaults: () => () => {},
      openBrowser: async () => {},
      interruptibly: (work) => work(new AbortController().signal),
    }
    const wait = (_: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => (signal?.aborted === true ? reject(signal.reason) : setImmediate(resolve)))
    const program = new Command().addCommand(eventsCommand(io, wait))
    const ended = program.parseAsync(['events', ...argv], { from: 'user' }).then(
      () => undefined,
      (error: unknown) => error,
    )
    await Promise.race([begun, ended])
    const printed = (count: number) =>
      new Promise<string[]>((resolve) => {
        check = () => lines().length >= count && resolve(lines())
        check()
      })
    return { printed, stderr: () => written.stderr, stop, ended }
  }

  /** Runs work beside a server of the project. */
  async function served(work: () => Promise<void>): Promise<void> {
    const { code, stderr } = await runCli(['serve', '--port', '0'], { cwd: project.path, whileRunning: work })
    assert.equal(code, 0, stderr)
  }

  const mock = async (model: string) => assert.equal((await admin('mock', model, '--count', '1')).code, 0)
  const told = (lines: readonly string[]) =>
    lines.map((line) => {
      const { model, action, at, ...rest } = JSON.parse(line)
      assert.deepEqual(Object.keys(rest), ['record_id'])
      assert.match(at, /^\d{4}-/)
      return `${action} ${model}`
    })

  before(async () => {
    project = await copyFixture('minimal')
  })
  after(() => project.remove())

  test('prints a line for each change of the models it names, until it is stopped', () =>
    served(async () => {
      const run = await events(['--models', 'note'])
      await mock('user')
      await mock('note')
      await mock('note')
      assert.deepEqual(told(await run.printed(2)), ['create note', 'create note'])
      run.stop()
      assert.equal(await run.ended, undefined)
      assert.equal(run.stderr(), 'Waiting for changes; stop with Ctrl-C\n')
    }))

  test('ends without an error when its reader is gone', () =>
    served(async () => {
      const run = await events([], { reads: 1 })
      await mock('note')
      assert.equal(await run.ended, undefined)
      assert.equal((await run.printed(1)).length, 1)
    }))

  test('goes on when the server has replaced its data, and says so', () =>
    served(async () => {
      const run = await events([])
      assert.equal((await admin('reset', '--yes')).code, 0)
      while (!run.stderr().includes('Changes may have been missed')) await new Promise((resolve) => setImmediate(resolve))
      await mock('note')
      assert.deepEqual(told(await run.printed(1)), ['create note'])
      run.stop()
      assert.equal(await run.ended, undefined)
    }))

  test('ends with an error when the server stops', async () => {
    let run: Run | undefined
    await served(async () => {
      run = await events([])
    })
    assert.match(String(await run?.ended), /The server at \S+ cannot be reached: no process listens there/)
  })

  test('refuses without a server, unknown models, and a wrong token', async () => {
    assert.deepEqual(await admin('events'), {
      ...{ code: 1, stdout: '' },
      stderr: 'error No server is running to report changes; start one: admin serve\n',
    })
    await runCli(['serve', '--port', '0'], {
      cwd: project.path,
      async whileRunning(stdout) {
        const { code, stderr } = await admin('events', '--models', 'nte')
        assert.equal(code, 1)
        assert.match(stderr, /Model 'nte' does not exist/)
        const url = /http:\S+/.exec(stdout)?.[0] ?? ''
        const wrong = await admin('events', '--url', url, '--token', 'x.y.z')
        assert.match(wrong.stderr, /rejects this token/)
      },
    })
  })
})
