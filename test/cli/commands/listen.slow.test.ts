import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import { hexSignature } from '../../../src/webhooks/messages.ts'
import { startReceiver } from '../../helpers/api/receiver.ts'
import { type CliResult, runCli } from '../../helpers/cli/cli.ts'
import { makeNote, projectTest, withProject, withServer } from '../../helpers/cli/cli-project.ts'
import { ADMIN_BIN } from '../../helpers/cli/process.ts'
import { valuesOf } from '../../helpers/values-of.ts'

const HOSTILE = '\u001b]0;owned\u0007\u009b31m\u202e'
const NO_WEBHOOKS = /^ID.*\n$/

/** Runs `listen` beside a server, does something with its URL and secret meanwhile, and sees that no subscription is left. */
async function whileListening(
  work: (url: string, secret: string, said: () => string) => Promise<void>,
  check: (result: CliResult) => void,
  options: readonly string[] = [],
): Promise<void> {
  await withProject((project, admin) =>
    withServer(project, async (server) => {
      const whileRunning = async (_: string, stderr: () => string) => {
        const [subscription] = JSON.parse((await admin('webhooks', 'list', '--json')).stdout) as { url: string }[]
        await work(subscription?.url ?? '', /signed with (\S+);/.exec(stderr())?.[1] ?? '', stderr)
        // After all that it still receives.
        await makeNote(server, admin, 'Low tide')
        for (let log = ''; !log.includes(' delivered '); ) log = (await admin('webhooks', 'deliveries')).stdout
      }
      const result = await runCli(['webhooks', 'listen', ...options], { cwd: project.path, whileRunning })
      assert.equal(result.code, 0, result.stderr)
      assert.match(result.stdout, /create note msg_\S+ signature valid( → 200)?\n\{/)
      check(result)
      assert.match((await admin('webhooks', 'list')).stdout, NO_WEBHOOKS)
    }),
  )
}

const post = async (url: string, body: string): Promise<number> => (await fetch(url, { method: 'POST', body })).status

/** A body that is signed as messages are. */
const signed = (start: string, secret: string): string => `${start},"signature":"${hexSignature(`${start}}`, secret)}"}`

describe('admin webhooks listen', { timeout: 120_000 }, () => {
  test('survives any request', () =>
    whileListening(
      async (url, secret) => {
        for (const body of ['null', '7', '[]', '"text"', 'garbage', '']) assert.equal(await post(url, body), 401, body)
        assert.equal(await post(url, signed('{not json', secret)), 204)
        assert.equal(await post(url, 'x'.repeat(1_048_577)), 413)
        const socket = connect(Number(new URL(url).port), '127.0.0.1')
        await once(socket, 'connect')
        socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf')
        // Answered after the half above was read.
        assert.equal(await post(url, '{}'), 401)
        socket.destroy()
      },
      ({ stdout }) => {
        assert.match(stdout, /^NOT A MESSAGE$/m)
        assert.match(stdout, /^Rejected a message of more than 1048576 bytes$/m)
        assert.match(stdout, /^A request could not be read: aborted$/m)
      },
    ))

  test('escapes what it prints, and prints no unsigned message', () =>
    whileListening(
      async (url, secret) => {
        const message = JSON.stringify({ event: HOSTILE, model: `${HOSTILE}m`, data: { [HOSTILE]: HOSTILE }, timestamp: HOSTILE })
        assert.equal(await post(url, message.replace('{', '{"stranger":1,')), 401)
        assert.equal(await post(url, signed(message.slice(0, -1), secret)), 204)
      },
      ({ stdout }) => {
        assert.ok(stdout.startsWith('INVALID SIGNATURE\n\\u001b]0;owned'), stdout)
        assert.doesNotMatch(stdout, /[^\P{Cc}\n]|\u202e/u)
      },
    ))

  test('forwards only signed messages', async () => {
    const behind = await startReceiver(200)
    await whileListening(
      async (url, secret) => {
        assert.equal(await post(url, signed('{"event":"create","data":{}', 'another secret, as long')), 401)
        assert.equal(await post(url, signed('{"event":"create","model":"note","data":1', secret)), 200)
      },
      ({ stdout }) => assert.match(stdout, /^INVALID SIGNATURE, not forwarded$/m),
      ['--forward-to', behind.url],
    )
    const events = behind.received.map(({ body }) => JSON.parse(body).data?.title ?? 'signed')
    assert.deepEqual(events, ['signed', 'Low tide'])
    await behind.close()
  })

  projectTest('removes the subscription of a killed run, and no other', (project, admin) =>
    withServer(project, async () => {
      const listen = async (): Promise<ChildProcess> => {
        const argv = [ADMIN_BIN, 'webhooks', 'listen', '--project', project.path]
        const started = spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'pipe'] })
        let said = ''
        await new Promise<void>((resolve) =>
          started.stderr.on('data', (chunk) => {
            said += String(chunk)
            if (said.includes('Receiving')) resolve()
          }),
        )
        return started
      }
      const end = async (started: ChildProcess, signal: NodeJS.Signals) => {
        const closed = once(started, 'close')
        started.kill(signal)
        await closed
      }
      const ids = async () =>
        (JSON.parse((await admin('webhooks', 'list', '--json')).stdout) as { id: number }[]).map(({ id }) => id)
      await admin('webhooks', 'add', 'http://127.0.0.1:9/hooks')
      await end(await listen(), 'SIGKILL')
      assert.deepEqual(await ids(), [1, 2])
      const present = await listen()
      assert.deepEqual(await ids(), [1, 3])
      const beside = await listen()
      assert.deepEqual(await ids(), [1, 3, 4], 'one that runs lost its subscription')
      await end(beside, 'SIGINT')
      await end(present, 'SIGINT')
      assert.deepEqual(await ids(), [1])
    }),
  )

  projectTest('keeps subscriptions of others on a remote server, and accepts that its own was removed', (project, admin) =>
    withServer(project, async (server) => {
      const token = (await admin('token')).stdout.trim()
      const remote = ['--url', server.address, '--token', token]
      // Of a listener on another machine: no process listens there on this one.
      await admin('webhooks', 'add', 'http://127.0.0.1:9/admin-webhooks-listen')
      const whileRunning = async () => {
        assert.equal(JSON.parse((await admin('webhooks', 'list', '--json')).stdout).length, 2)
        await admin('webhooks', 'remove', '2')
      }
      const { code, stderr } = await runCli(['webhooks', 'listen', ...remote], { cwd: project.path, whileRunning })
      assert.equal(code, 0, stderr)
      assert.match(stderr, /^Receiving as webhook 2, [^\n]*\n$/)
      assert.deepEqual(valuesOf(JSON.parse((await admin('webhooks', 'list', '--json')).stdout), 'id'), [1])
    }),
  )

  projectTest('removes its subscription when the terminal is closed', (project, admin) =>
    withServer(project, async () => {
      const argv = [ADMIN_BIN, 'webhooks', 'listen', '--project', project.path]
      const child = spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'pipe'] })
      const closed = once(child, 'close')
      await once(child.stderr, 'data')
      assert.doesNotMatch((await admin('webhooks', 'list')).stdout, NO_WEBHOOKS)
      child.kill('SIGHUP')
      assert.deepEqual(await closed, [0, null])
      assert.match((await admin('webhooks', 'list')).stdout, NO_WEBHOOKS)
    }),
  )
})

describe('responses of receivers', () => {
  projectTest('are escaped in the table', async (_, admin) => {
    const receiver = await startReceiver((response) => response.writeHead(200).end(HOSTILE))
    await admin('webhooks', 'add', receiver.url)
    const { stdout } = await admin('webhooks', 'test', '1')
    assert.match(stdout, /200 \\u001b\]0;owned\\u0007\\u009b31m\\u202e$/m)
    await receiver.close()
  })
})
