import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { addressIn, type CliResult, runCli } from '../../helpers/cli/cli.ts'
import { copyFixture, type TemporaryFolder, temporaryFolder } from '../../helpers/fixture.ts'

const KEY = /^adm_[0-9A-Za-z]{49}$/

describe('admin keys', () => {
  let project: TemporaryFolder
  let runtime: TemporaryFolder

  const admin = (line: string, env: Record<string, string> = {}): Promise<CliResult> =>
    runCli(line.split(' '), { cwd: project.path, stdin: 'long-enough\n', env: { XDG_RUNTIME_DIR: runtime.path, ...env } })

  async function served(work: (url: string) => Promise<void>, ephemeral?: Record<string, string>): Promise<CliResult> {
    const flags = ephemeral === undefined ? [] : ['--ephemeral']
    const env = { XDG_RUNTIME_DIR: runtime.path, ...ephemeral }
    return runCli(['serve', '--port', '0', ...flags], { cwd: project.path, env, whileRunning: (out) => work(addressIn(out)) })
  }

  const statusOf = async (url: string, key: string, path = 'auth/me'): Promise<number> =>
    (await fetch(`${url}/api/v1/${path}`, { headers: { authorization: `Bearer ${key}` } })).status

  beforeEach(async () => {
    project = await copyFixture('minimal')
    runtime = await temporaryFolder()
    await admin('users add root --email root@example.com --password-stdin --superuser')
    await admin('users add ci --email ci@example.com --no-password')
  })
  afterEach(async () => {
    await project.remove()
    await runtime.remove()
  })

  test('add prints the key and nothing else, list has it without, revoke ends it: without a server', async () => {
    const added = await admin('keys add CI --user ci --scopes read,add_note --days 30')
    assert.equal(added.code, 0, added.stderr)
    const key = added.stdout.trim()
    assert.match(key, KEY)
    assert.match(added.stderr, /^Added key 1 of 'ci', which expires at \S+; it is not shown again\n$/)
    const { stdout } = await admin('keys list')
    assert.match(stdout, /^ID +NAME +OWNER +KEY +SCOPES +EXPIRES +LAST USED\n1 +CI +ci +adm_…\w{4} +read,add_note +\S+Z +-\n$/)
    assert.ok(!stdout.includes(key))
    await served(async (url) => assert.equal(await statusOf(url, key), 200))
    assert.deepEqual(await admin('keys revoke 1'), { code: 0, stdout: '', stderr: "Revoked key 1 ('CI') of 'ci'\n" })
    await served(async (url) => assert.equal(await statusOf(url, key), 401))
    assert.match((await admin('keys revoke 1')).stderr, /Key with ID 1 does not exist/)
  })

  test('revoke escapes what a terminal would obey in the answer of a server', async () => {
    const data = { id: 1, name: 'CI\u001b[2J', owner: { id: 2, username: 'evil\u0007' } }
    const server = createServer((_, response) => {
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ data }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const { stderr } = await admin(`keys revoke 1 --url http://127.0.0.1:${port}`, { ADMIN_TOKEN: 'any' })
    server.close()
    server.closeAllConnections()
    assert.equal(stderr, "Revoked key 1 ('CI\\u001b[2J') of 'evil\\u0007'\n")
  })

  test('add names what is wrong', async () => {
    const of = async (line: string) => {
      const { code, stderr } = await admin(`keys add ${line}`)
      return [code, stderr.trim()]
    }
    assert.deepEqual(await of('CI --user ci --scopes view_nte'), [1, "error Unknown scope 'view_nte'; did you mean 'view_note'?"])
    assert.match(String((await of('CI --scopes read'))[1]), /A key needs an owner: --user NAME/)
    assert.match(String((await of('CI --user bob --scopes read'))[1]), /There is no user 'bob'/)
    assert.match(String((await of('CI --user ci --scopes read --days 0'))[1]), /number of days/)
    const json = await admin('keys add CI --user ci --scopes * --days never --json')
    assert.deepEqual([JSON.parse(json.stdout).expires_at, JSON.parse(json.stdout).scopes], [null, ['*']])
  })

  test('ADMIN_API_KEY is the credential for --url; what keys may not do, it does not either', () =>
    served(async (url) => {
      const key = (await admin('keys add CI --user root --scopes *')).stdout.trim()
      const remote = { ADMIN_API_KEY: key }
      const list = await admin(`users list --url ${url} --json`, remote)
      assert.equal(list.code, 0, list.stderr)
      assert.equal(JSON.parse(list.stdout).length, 2)
      assert.match((await admin(`keys list --url ${url}`, remote)).stderr, /A key cannot/)
      assert.match((await admin(`users passwd ci --password-stdin --url ${url}`, remote)).stderr, /A key cannot set the password/)
      const narrow = (await admin('keys add narrow --user ci --scopes view_note')).stdout.trim()
      assert.match((await admin(`users list --url ${url}`, { ADMIN_API_KEY: narrow })).stderr, /does not have permission/)
      const wrong = await admin(`users list --url ${url}`, { ADMIN_API_KEY: `${key.slice(0, -1)}x` })
      assert.match(wrong.stderr, /rejects this key: it is wrong, expired or revoked/)
      assert.ok(!wrong.stderr.includes(key.slice(4, 30)))
      // With a token, keys are managed from elsewhere, too.
      const token = { ADMIN_TOKEN: (await admin('token')).stdout.trim(), ADMIN_API_KEY: narrow }
      assert.match((await admin(`keys add far --scopes read --url ${url}`, token)).stdout.trim(), KEY)
      assert.match((await admin(`keys list --url ${url}`, token)).stdout, /far +root/)
      assert.match((await admin(`keys revoke 1 --url ${url}`, token)).stderr, /^Revoked key 1/)
      assert.equal(await statusOf(url, key), 401)
    }).then(({ code }) => assert.equal(code, 0)))

  test('an ephemeral server accepts ADMIN_API_KEY as a key of its superuser, and stores it nowhere', async () => {
    const given = 'key-for-tests-of-a-front-end'
    const { code, stderr } = await served(
      async (url) => {
        assert.equal(await statusOf(url, given), 200)
        assert.equal(await statusOf(url, given, 'webhooks'), 200)
        assert.equal(await statusOf(url, given, 'auth/keys'), 403)
        assert.equal(await statusOf(url, `${given}x`), 401)
        const list = await admin(`users list --url ${url} --json`, { ADMIN_API_KEY: given })
        assert.equal(list.code, 0, list.stderr)
      },
      { ADMIN_API_KEY: given },
    )
    assert.equal(code, 0, stderr)
    assert.ok(!stderr.includes(given))
    // Other servers do not.
    await served(async (url) => assert.equal(await statusOf(url, given), 401))
    const short = await served(async () => {}, { ADMIN_API_KEY: 'short' })
    assert.equal(short.code, 2)
    assert.match(short.stderr, /ADMIN_API_KEY must have 16 to 200 letters/)
  })
})
