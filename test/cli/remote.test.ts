import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { appErrorOf, commandClient } from '../../src/cli/api-client.ts'
import { processIo } from '../../src/cli/io.ts'
import { serverFetch } from '../../src/cli/server-fetch.ts'
import { AppError } from '../../src/errors.ts'
import { type Answer, startReceiver } from '../helpers/api/receiver.ts'
import { addressIn, type CliOptions, runCli } from '../helpers/cli/cli.ts'
import { copyFixture, type TemporaryFolder, temporaryFolder } from '../helpers/fixture.ts'

const TOKEN = 'a.token.of-a-user'

describe('a server that is named by --url and --token', () => {
  let elsewhere: TemporaryFolder

  before(async () => {
    elsewhere = await temporaryFolder()
  })
  after(() => elsewhere.remove())

  const admin = (line: string, options: Partial<CliOptions> = {}) => runCli(line.split(' '), { cwd: elsewhere.path, ...options })

  /** What a command says of something that answers in a certain way. */
  async function saidOf(answer: Answer, line = 'webhooks list') {
    const stranger = await startReceiver(answer)
    const url = new URL(stranger.url).origin
    const result = await admin(line, { env: { ADMIN_URL: url, ADMIN_TOKEN: TOKEN }, stdin: 'name\nx\n' })
    await stranger.close()
    return { ...result, said: result.stderr.replaceAll(url, 'URL'), received: stranger.received }
  }

  test('is called by its address and a token, without a project', async () => {
    const project = await copyFixture('blog')
    const inProject = (argv: readonly string[]) => runCli(argv, { cwd: project.path, env: { ADMIN_BASE_PATH: '/shop' } })
    const served = await runCli(['serve', '--port', '0'], {
      cwd: project.path,
      env: { ADMIN_BASE_PATH: '/shop' },
      async whileRunning(stdout) {
        const url = `${addressIn(stdout)}/shop`
        const token = (await inProject(['token'])).stdout.trim()
        const asked = await admin(`webhooks list --json --url ${url} --token ${token}`)
        assert.deepEqual(asked, { code: 0, stdout: '[]\n', stderr: '' })
        for (const ADMIN_URL of [url, `${url}/`, `${url}/api/v1`, `${url}/api/v1/`]) {
          assert.equal((await admin('webhooks list', { env: { ADMIN_URL, ADMIN_TOKEN: `${token}\n` } })).code, 0, ADMIN_URL)
        }
        const imported = await admin(`import tag - --format csv --url ${url}`, {
          env: { ADMIN_TOKEN: token },
          stdin: 'name,slug\nReef,reef\n',
        })
        assert.deepEqual(imported, { code: 0, stdout: '', stderr: 'Imported 1 record\n' })
        const astray = await admin('webhooks list', { env: { ADMIN_URL: addressIn(stdout), ADMIN_TOKEN: token } })
        assert.match(
          astray.stderr,
          /^error The server at \S+\/api\/v1 does not have this path; is it the right address, and of this/,
        )
        const unknown = await admin('webhooks list', { env: { ADMIN_URL: url, ADMIN_TOKEN: 'x' } })
        assert.match(unknown.stderr, /^error The server at \S+ rejects this token: it is wrong or expired/)
        const mere = (await inProject(['token', '--user', 'anna.lind'])).stdout.trim()
        const forbidden = await admin('webhooks list', { env: { ADMIN_URL: url, ADMIN_TOKEN: mere } })
        assert.equal(forbidden.stderr, 'error User does not have permission to access this resource\n')
        assert.deepEqual([astray.code, unknown.code, forbidden.code], [1, 1, 1])
      },
    })
    await project.remove()
    assert.equal(served.code, 0, served.stderr)
  })

  test('is not used if the command line names a folder', async () => {
    const { code, stderr, received } = await saidOf(200, 'webhooks list --project nowhere')
    assert.deepEqual([code, received], [2, []])
    assert.match(stderr, /There is no project folder/)
  })

  for (const [what, line, env, says] of [
    [
      'an address and a folder',
      '--url http://a.example --project .',
      {},
      '--url names a server and --project a folder; use one of them',
    ],
    ['an address and data', '--url http://a.example --data d', {}, '--url names a server and --data a folder; use one of them'],
    ['a token for no server', '--token x', {}, '--token needs a server; name it with --url or ADMIN_URL'],
    [
      'no token',
      '--url http://a.example',
      {},
      'No token for http://a.example/api/v1; set ADMIN_API_KEY to an API key, or ADMIN_TOKEN (`admin token` prints one on the machine of the server)',
    ],
    [
      'what is no token',
      '--url http://a.example',
      { ADMIN_TOKEN: 'se cret' },
      'The token is invalid: it contains characters that are not allowed in a token',
    ],
    ['what is no address', '--url a.example', {}, '--url is not a URL; write one such as https://example.com/base'],
    [
      'another protocol',
      '--url ftp://a.example',
      {},
      '--url must begin with http:// or https://, such as https://example.com/base',
    ],
    [
      'a name and a password',
      '--url http://me:secret@a.example',
      {},
      '--url must not contain a user name or password; use a token instead',
    ],
    [
      'a name and a password, without a token',
      '--url http://me:secret@a.example',
      { ADMIN_TOKEN: '' },
      '--url must not contain a user name or password; use a token instead',
    ],
    [
      'a query',
      '--url http://a.example/?a=b',
      {},
      '--url must not have a query or fragment; write one such as https://example.com/base',
    ],
    [
      'what is no address, in the environment',
      '',
      { ADMIN_URL: 'x' },
      'ADMIN_URL is not a URL; write one such as https://example.com/base',
    ],
  ] as const) {
    test(`rejects wrong usage: ${what}`, async () => {
      const result = await admin(`webhooks list ${line}`.trim(), {
        env: { ADMIN_TOKEN: line === '--token x' ? '' : what === 'no token' ? '' : TOKEN, ...env },
      })
      assert.deepEqual(result, { code: 2, stdout: '', stderr: `error ${says}\n` })
    })
  }

  test('does not leak the token by a redirect', async () => {
    const other = await startReceiver(200)
    const { code, said, received } = await saidOf((response) => response.writeHead(307, { location: other.url }).end())
    await other.close()
    assert.deepEqual([code, received.length, other.received], [1, 1, []])
    assert.equal(said, `error The server at URL/api/v1 redirects to ${other.url}; use that address. No token was sent there\n`)
  })

  for (const [what, answer] of [
    ['a page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
    ['JSON of its own', (response) => response.writeHead(404).end('{"message":"no"}')],
    ['nothing', 502],
    ['a list', (response) => response.writeHead(500).end('[]')],
  ] as const satisfies readonly (readonly [string, Answer])[]) {
    test(`is reported as another server when it responds with ${what}`, async () => {
      const { code, stdout, said } = await saidOf(answer)
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(
        said,
        /^error The server at URL\/api\/v1 is not an admin server, or its API is at another path: it responds with status \d/,
      )
    })
  }

  test('is reported when it closes the connection', async () => {
    const { code, said } = await saidOf((_, request) => request.socket.destroy())
    assert.deepEqual([code, said], [1, 'error The server at URL/api/v1 cannot be reached: the connection was closed\n'])
    const half = await saidOf((response) => {
      response.writeHead(200, { 'content-length': 100 }).write('{"data"')
      setImmediate(() => response.destroy())
    })
    assert.equal(half.code, 1)
    assert.match(half.said, /^error The server at URL\/api\/v1 cut off its response: /)
  })

  test('is waited for until the timeout', async () => {
    await using silent = await startReceiver(() => {})
    const api = `${new URL(silent.url).origin}/api/v1`
    const client = commandClient(processIo(), { api }, serverFetch({ api, token: () => TOKEN, refusal: '', timeoutMs: 20 }))
    const message = `The server at ${api} cannot be reached: no response in 0.02 s`
    for (const call of [client.request('/x'), client.model('x').export()]) {
      const error = await call.catch(appErrorOf)
      assert.ok(error instanceof AppError)
      assert.deepEqual([error.code, error.message], ['TASK_FAILED', message])
    }
  })

  test('is reported when it cannot be reached', async () => {
    const gone = await startReceiver(200)
    await gone.close()
    const url = new URL(gone.url).origin
    const { code, stderr } = await admin(`webhooks list --url ${url}`, { env: { ADMIN_TOKEN: TOKEN } })
    assert.deepEqual([code, stderr], [1, `error The server at ${url}/api/v1 cannot be reached: no process listens there\n`])
  })
})
