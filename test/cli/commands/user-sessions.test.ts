import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { addressIn, type CliResult, runCli } from '../../helpers/cli/cli.ts'
import { copyFixture, type TemporaryFolder } from '../../helpers/fixture.ts'
import { valuesOf } from '../../helpers/values-of.ts'

const PASSWORD = 'long-enough'
const MOMENT = '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z'
const HEADINGS = /^ID +CREATED +LAST USED +ADDRESS +USER AGENT\n/

describe('admin users sessions', () => {
  let project: TemporaryFolder

  const admin = (argv: readonly string[], env: Record<string, string> = {}): Promise<CliResult> =>
    runCli(argv, { cwd: project.path, stdin: `${PASSWORD}\n`, env })

  /** Runs work beside a server of the project. */
  async function served(work: (url: string) => Promise<void>): Promise<void> {
    const { code } = await runCli(['serve', '--port', '0'], { cwd: project.path, whileRunning: (out) => work(addressIn(out)) })
    assert.equal(code, 0)
  }

  const login = async (url: string, userAgent: string): Promise<number> => {
    const body = new URLSearchParams({ username: 'ann', password: PASSWORD })
    const headers = { 'user-agent': userAgent }
    return (await fetch(`${url}/api/v1/auth/token`, { method: 'POST', body, headers })).status
  }

  beforeEach(async () => {
    project = await copyFixture('minimal')
    for (const name of ['ann', 'root']) {
      const flags = name === 'root' ? ['--superuser'] : []
      await admin(['users', 'add', name, '--email', `${name}@example.com`, '--password-stdin', ...flags])
    }
  })
  afterEach(() => project.remove())

  test('lists them as a table or as JSON, and --end ends all: without a server', async () => {
    await served(async (url) => {
      for (const agent of ['One/1', 'Two/2']) assert.equal(await login(url, agent), 200)
    })
    const { code, stdout, stderr } = await admin(['users', 'sessions', 'ann'])
    assert.deepEqual([code, stderr], [0, ''])
    const row = (id: number, agent: string) => `${id} +${MOMENT} +${MOMENT} +127\\.0\\.0\\.1 +${agent}\\n`
    assert.match(stdout, HEADINGS)
    assert.match(stdout, new RegExp(`\\n${row(2, 'Two/2')}${row(1, 'One/1')}$`))
    const listed = JSON.parse((await admin(['users', 'sessions', 'ann', '--json'])).stdout)
    assert.deepEqual(valuesOf(listed, 'id', 'user_agent'), [
      [2, 'Two/2'],
      [1, 'One/1'],
    ])
    assert.deepEqual(await admin(['users', 'sessions', 'ann', '--end']), {
      code: 0,
      stdout: '',
      stderr: "Ended 2 sessions of 'ann'\n",
    })
    assert.match((await admin(['users', 'sessions', 'ann'])).stdout, new RegExp(`${HEADINGS.source}$`))
    assert.deepEqual(await admin(['users', 'sessions', 'ann', '--end', '--json']), {
      code: 0,
      stdout: '{"ended":0}\n',
      stderr: "Ended 0 sessions of 'ann'\n",
    })
  })

  test('works beside a server and by --url, where it needs a superuser', () =>
    served(async (url) => {
      assert.equal(await login(url, 'One/1'), 200)
      assert.match((await admin(['users', 'sessions', 'ann'])).stdout, /One\/1\n$/)
      const [root, ann] = [await admin(['token']), await admin(['token', '--user', 'ann'])].map(({ stdout }) => stdout.trim())
      const remote = { ADMIN_URL: url, ADMIN_TOKEN: root ?? '' }
      assert.match((await admin(['users', 'sessions', 'ann'], remote)).stdout, /One\/1\n$/)
      const refused = await admin(['users', 'sessions', 'ann', '--end'], { ...remote, ADMIN_TOKEN: ann ?? '' })
      assert.equal(refused.code, 1)
      assert.match(refused.stderr, /does not have permission/)
      assert.equal((await admin(['users', 'sessions', 'ann', '--end'], remote)).stderr, "Ended 1 session of 'ann'\n")
      assert.match((await admin(['users', 'sessions', 'ann'])).stdout, new RegExp(`${HEADINGS.source}$`))
    }))

  test('escapes what a client sent as its name', () =>
    served(async (url) => {
      await login(url, 'Evil\u009b31m')
      assert.match((await admin(['users', 'sessions', 'ann'])).stdout, /Evil\\u009b31m\n$/)
    }))

  test('names an unknown user', async () => {
    for (const end of [[], ['--end']]) {
      const { code, stderr } = await admin(['users', 'sessions', 'bob', ...end])
      assert.equal(code, 1)
      assert.match(stderr, /There is no user 'bob'; see `admin users list`/)
    }
  })
})
