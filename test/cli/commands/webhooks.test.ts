import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { startReceiver } from '../../helpers/api/receiver.ts'
import { runCli } from '../../helpers/cli/cli.ts'
import { type Admin, makeNote, projectTest, withServer } from '../../helpers/cli/cli-project.ts'
import { valuesOf } from '../../helpers/values-of.ts'

/** Checks that pass with and without a server. */
async function checkCommands(admin: Admin): Promise<void> {
  const receiver = await startReceiver(200, 500)
  const added = await admin('webhooks', 'add', receiver.url, '--events', 'create,delete', '--models', 'note')
  assert.deepEqual([added.code, added.stderr], [0, 'Added webhook 1. The secret is shown only once.\n'])
  const secret = added.stdout.trim()
  assert.match(secret, /^whsec_/)

  const listed = await admin('webhooks', 'list')
  const row = `1   yes     create,delete  note    0        ${receiver.url}`
  assert.equal(listed.stdout, `ID  ACTIVE  EVENTS         MODELS  PENDING  URL\n${row}\n`)
  assert.ok(!(await admin('webhooks', 'list', '--json')).stdout.includes('whsec_'), 'a list shows a secret')

  assert.match((await admin('webhooks', 'test', '1')).stdout, /1 +1 +test webhook +delivered +1 .* 200\n$/)
  const [sent] = receiver.received
  assert.ok(sent !== undefined, 'nothing was sent')
  assert.doesNotThrow(() => new Webhook(secret).verify(sent.body, { ...sent.headers }))
  const failed = await admin('webhooks', 'test', '1')
  assert.deepEqual([failed.code, failed.stderr], [1, 'error The test event to webhook 1 failed: status 500\n'])

  const rotated = await admin('webhooks', 'rotate', '1', '--secret', 'chosen by a person')
  assert.deepEqual([rotated.code, rotated.stdout], [0, 'chosen by a person\n'])
  const log = JSON.parse((await admin('webhooks', 'deliveries', '1', '--json')).stdout)
  assert.deepEqual(valuesOf(log, 'status'), ['failed', 'delivered'])
  assert.deepEqual(JSON.parse((await admin('webhooks', 'deliveries', '--status', 'failed', '--json')).stdout).length, 1)

  assert.equal((await admin('webhooks', 'disable', '1')).stderr, 'Webhook 1 is disabled\n')
  assert.match((await admin('webhooks', 'list')).stdout, /no \(hand\)/)
  const refused = await admin('webhooks', 'redeliver', '1')
  assert.deepEqual(
    [refused.code, refused.stderr],
    [1, 'error Webhook 1 is not active, so nothing is delivered to it; enable it first\n'],
  )
  assert.equal((await admin('webhooks', 'enable', '1')).code, 0)
  assert.equal((await admin('webhooks', 'drain')).stderr, 'No delivery is pending\n')
  assert.equal((await admin('webhooks', 'remove', '1')).stderr, 'Removed webhook 1\n')
  const gone = await admin('webhooks', 'remove', '1')
  assert.deepEqual([gone.code, gone.stderr], [1, 'error Webhook with ID 1 does not exist\n'])
  const wrong = await admin('webhooks', 'add', 'ftp://a.example', '--models', 'nota')
  assert.equal(wrong.code, 1)
  assert.match(wrong.stderr, /url must be an http or https address/)
  assert.match(wrong.stderr, /Model 'nota' does not exist; did you mean 'note'\?/)
  assert.equal((await admin('webhooks', 'rotate', 'one')).code, 2)
  await receiver.close()
}

describe('admin webhooks', () => {
  projectTest('while no process holds the data', (_, admin) => checkCommands(admin))

  projectTest('beside a running server, over HTTP', (project, admin) => withServer(project, () => checkCommands(admin)))

  projectTest('drain sends deliveries itself without a server, and lists pending ones', async (_, admin) => {
    const receiver = await startReceiver(500, 200)
    await admin('webhooks', 'add', receiver.url)
    await admin('users', 'add', 'ann', '--email', 'ann@example.com', '--password-stdin')
    const stuck = await admin('webhooks', 'drain', '--timeout', '2')
    assert.equal(stuck.code, 1)
    assert.match(
      stuck.stderr,
      /^error 1 deliveries are pending\nerror delivery 1 to webhook 1 \(create user 2\): 1 attempts, the last: status 500; next at 20/m,
    )
    const again = await admin('webhooks', 'redeliver', '1')
    assert.match(again.stderr, /the next server, or `admin webhooks drain`, sends it/)
    assert.deepEqual(await admin('webhooks', 'drain'), { code: 0, stdout: '', stderr: 'No delivery is pending\n' })
    const [first, second] = receiver.received
    assert.equal(first?.headers['webhook-id'], second?.headers['webhook-id'])
    await receiver.close()
  })

  projectTest('listen receives while it runs, and forwards', (project, admin) =>
    withServer(project, async (server) => {
      await using target = await startReceiver((response) => response.writeHead(418).end())
      let subscribed = ''
      const whileRunning = async () => {
        subscribed = (await admin('webhooks', 'list')).stdout
        await makeNote(server, admin, 'Low tide')
        await target.arrived(1)
        // Answered once the log has it.
        for (let attempts = ''; !attempts.includes('418'); ) attempts = (await admin('webhooks', 'deliveries', '--json')).stdout
      }
      const argv = ['webhooks', 'listen', '--forward-to', target.url]
      const { code, stdout, stderr } = await runCli(argv, { cwd: project.path, whileRunning })
      assert.equal(code, 0, stderr)
      assert.match(subscribed, /^1 +yes +create,update,delete +all +0 +http:\/\/127\.0\.0\.1:\d+\/admin-webhooks-listen$/m)
      assert.match(stdout, /^20\S+Z create note msg_\S+ signature valid → 418\n\{\n {2}"id": 1,\n {2}"title": "Low tide"/)
      assert.match((await admin('webhooks', 'list')).stdout, /^ID.*\n$/)
      const secret = /signed with (\S+);/.exec(stderr)?.[1] ?? ''
      assert.doesNotThrow(() => new Webhook(secret).verify(target.received[0]?.body ?? '', { ...target.received[0]?.headers }))
    }),
  )

  projectTest('listen without a server names the command to start one', async (_, admin) => {
    const { code, stderr } = await admin('webhooks', 'listen')
    assert.deepEqual([code, stderr], [1, 'error No server is running to send deliveries; start one: admin serve\n'])
  })

  projectTest('a server with another secret is not trusted', (project, admin) =>
    withServer(project, async () => {
      const env = { ADMIN_SECRET_KEY: 'another-secret-that-is-long-enough-for-it' }
      const { code, stderr } = await runCli(['webhooks', 'list'], { cwd: project.path, env })
      assert.equal(code, 1)
      assert.match(stderr, /is not this project's server, or it uses another secret: is ADMIN_SECRET_KEY the same here\?/)
      assert.equal((await admin('webhooks', 'list')).code, 0)
    }),
  )
})
