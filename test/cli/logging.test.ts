import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { addressIn, type CliOptions, runCli } from '../helpers/cli/cli.ts'
import { makeProject, type TemporaryFolder } from '../helpers/fixture.ts'

describe('the log of admin serve', () => {
  let project: TemporaryFolder

  beforeEach(async () => {
    project = await makeProject({ 'models/note.yaml': 'name: Note\nfields: [{ name: title, type: string }]\n' })
  })
  afterEach(() => project.remove())

  // The server would warn of an admin page that was not built.
  const serve = (argv: readonly string[], { env = {}, ...options }: Partial<CliOptions> = {}) =>
    runCli([...argv, '--port', '0'], { cwd: project.path, ...options, env: { ADMIN_UI__ENABLED: 'false', ...env } })

  /** Logs in without success, and reads a list that wants a token. */
  const whileRunning = async (stdout: string): Promise<void> => {
    const address = addressIn(stdout)
    const body = JSON.stringify({ username: 'nobody', password: 'nothing' })
    await fetch(`${address}/api/v1/auth/token`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    await fetch(`${address}/api/v1/models/note?filters=title=private`)
  }

  const levelsIn = (stderr: string): Set<string> => new Set(stderr.match(/(?<="level":")\w+/g) ?? [])

  const allJson = (stderr: string): object[] => {
    assert.ok(stderr.endsWith('\n'), 'the last line is not whole')
    return stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  }

  test('is JSON without a terminal, from the start to the stop', async () => {
    const { code, stderr } = await serve(['serve'], { whileRunning })
    assert.equal(code, 0)
    const messages = (allJson(stderr) as { msg: string; time: string }[]).map(({ msg, time }) => {
      assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      return msg
    })
    assert.match(messages[0] ?? '', /^5 models and 0 views from /)
    assert.ok(messages.includes('Login failed'), stderr)
    assert.equal(messages.at(-1), 'SIGINT: finishing open requests')
  })

  test('is text on a terminal', async () => {
    const { stderr } = await serve(['serve'], { whileRunning, terminal: true })
    assert.match(stderr, /^5 models and 0 views from /)
    assert.match(stderr, /^Login failed reason=unknown_user address=127\.0\.0\.1 request_id=[\w-]{22}$/m)
    assert.match(stderr, /^SIGINT: finishing open requests$/m)
    assert.doesNotMatch(stderr, /"level"/)
  })

  test('--log-format decides, over the environment, over the file', async () => {
    const json = await serve(['serve', '--log-format', 'json'], { terminal: true, env: { ADMIN_LOG__FORMAT: 'text' } })
    assert.ok(allJson(json.stderr).length >= 3, json.stderr)
    const text = await serve(['serve', '--log-format', 'text'], { env: { ADMIN_LOG__FORMAT: 'json' } })
    assert.match(text.stderr, /^5 models/)
    const environment = await serve(['serve'], { env: { ADMIN_LOG__FORMAT: 'text' } })
    assert.match(environment.stderr, /^5 models/)
  })

  test('at level info contains no requests', async () => {
    const { stderr } = await serve(['serve'], { whileRunning })
    assert.deepEqual(levelsIn(stderr), new Set(['info']))
    assert.doesNotMatch(stderr, /"route"/)
  })

  for (const [name, argv, env] of [
    ['--debug', ['--debug', 'serve'], {}],
    ['ADMIN_LOG__LEVEL', ['serve'], { ADMIN_LOG__LEVEL: 'debug' }],
  ] as const) {
    test(`with ${name} contains every request, without its values`, async () => {
      const { stderr } = await serve(argv, { whileRunning, env })
      assert.deepEqual(levelsIn(stderr), new Set(['info', 'debug']))
      assert.match(stderr, /"method":"GET","route":"\/api\/v1\/models\/\{model\}","status":401,"ms":\d+,"request_id"/)
      assert.doesNotMatch(stderr, /private|filters/)
    })
  }

  test('at level error contains only failures', async () => {
    const { code, stderr } = await serve(['serve'], { whileRunning, env: { ADMIN_LOG__LEVEL: 'error' } })
    assert.equal(code, 0)
    assert.equal(stderr, '')
  })

  test('an unknown level or format is rejected: exit 2', async () => {
    for (const [name, value] of [
      ['ADMIN_LOG__LEVEL', 'loud'],
      ['ADMIN_LOG__FORMAT', 'xml'],
    ] as const) {
      const { code, stderr } = await serve(['serve'], { env: { [name]: value } })
      assert.equal(code, 2, name)
      assert.match(stderr, new RegExp(`^error environment ${name}:.* must be one of`))
    }
    assert.equal((await serve(['serve', '--log-format', 'xml'])).code, 2)
  })

  test('--show-token switches to text, and fails with JSON', async () => {
    const add = ['users', 'add', 'ann', '--email', 'a@example.com', '--superuser', '--password-stdin']
    await runCli(add, { cwd: project.path, stdin: 'long-enough' })
    const shown = await serve(['serve', '--show-token'])
    assert.match(shown.stderr, /^5 models/)
    assert.match(shown.stderr, /^eyJ\S+$/m)
    const refused = await serve(['serve', '--show-token', '--log-format', 'json'])
    assert.equal(refused.code, 2)
    assert.match(refused.stderr, /^error --show-token does not work with a JSON log; use --log-format text, or `admin token`$/m)
  })

  test('other commands write text', async () => {
    const add = ['users', 'add', 'ann', '--email', 'a@example.com', '--password-stdin']
    const { stderr } = await runCli(add, { cwd: project.path, stdin: 'long-enough', env: { ADMIN_PROT: '1' } })
    assert.match(stderr, /Added user 'ann' with ID 1\n$/)
    assert.doesNotMatch(stderr, /"level"|User created/)
  })
})
