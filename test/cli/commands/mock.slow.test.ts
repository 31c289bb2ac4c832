import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { addressIn, type CliOptions, type CliResult, runCli } from '../../helpers/cli/cli.ts'
import { copyFixture, makeProject, type TemporaryFolder } from '../../helpers/fixture.ts'

interface Stored {
  readonly id: number
  readonly [name: string]: unknown
}

describe('admin mock', () => {
  let project: TemporaryFolder

  const admin = (argv: readonly string[], options: Partial<CliOptions> = {}) => runCli(argv, { cwd: project.path, ...options })
  const mock = (...argv: readonly string[]): Promise<CliResult> => admin(['mock', ...argv])
  const tables = async (): Promise<Record<string, { records: Stored[] }>> =>
    JSON.parse(await readFile(join(project.path, 'data/db.json'), 'utf8')).tables
  const records = async (model: string): Promise<Stored[]> => (await tables())[model]?.records ?? []

  before(async () => {
    project = await copyFixture('blog')
    assert.equal((await admin(['snapshot', 'list'])).code, 0)
    assert.equal((await admin(['reset', '--yes', '--seed-data'])).code, 0)
    assert.equal((await admin(['snapshot', 'save', 'seeded'])).code, 0)
  })
  beforeEach(async () => {
    assert.equal((await admin(['snapshot', 'load', 'seeded', '--yes'])).code, 0)
  })
  after(() => project.remove())

  test('fills one model', async () => {
    const seeded = (await records('tag')).length
    assert.deepEqual(await mock('tag', '--count', '5', '--seed', '1'), {
      code: 0,
      stdout: '',
      stderr: 'Created 5 tag records\nThe seed was 1\n',
    })
    assert.equal((await records('tag')).length, seeded + 5)
  })

  test('gives the same values for the same seed, and others where they must be unique', async () => {
    const made = async () => {
      const all = await records('tag')
      return all.slice(-5).map(({ id, ...values }) => values)
    }
    await mock('tag', '--count', '5', '--seed', '1')
    const first = await made()
    assert.equal((await mock('tag', '--count', '5', '--seed', '1')).code, 0)
    assert.notDeepEqual(await made(), first)
    await admin(['snapshot', 'load', 'seeded', '--yes'])
    await mock('tag', '--count', '5', '--seed', '1')
    assert.deepEqual(await made(), first)
  })

  test('fills a whole project, referenced models first, and prints JSON', async () => {
    const counts = Object.fromEntries(Object.entries(await tables()).map(([name, table]) => [name, table.records.length]))
    const { code, stdout, stderr } = await mock('--all', '--count', '100', '--seed', '3', '--json')
    assert.equal(code, 0, stderr)
    const names = ['category', 'tag', 'post', 'comment', 'fee']
    assert.deepEqual(JSON.parse(stdout), { seed: 3, created: Object.fromEntries(names.map((name) => [name, 100])) })
    assert.equal(stderr, `${names.map((name) => `Created 100 ${name} records\n`).join('')}The seed was 3\n`)
    const now = await tables()
    for (const name of names) assert.equal(now[name]?.records.length, (counts[name] ?? 0) + 100, name)
    for (const name of ['user', 'group', 'permission']) assert.equal(now[name]?.records.length, counts[name], name)
    const comments = (await records('comment')).slice(-100)
    const newPosts = comments.filter(({ post_id }) => Number(post_id) > (counts.post ?? 0))
    assert.ok(newPosts.length > 20, `${newPosts.length} of 100 comments are on mock posts`)
    const nested = (await records('category')).slice(-100).filter(({ parent_id }) => Number(parent_id) > (counts.category ?? 0))
    assert.ok(nested.length > 20, `${nested.length} of 100 categories are below mock ones`)
    assert.equal((await admin(['lint', '--data', '--quiet'])).code, 0)
  })

  test('creates users with an unknown password and no superusers', async () => {
    await mock('user', '--count', '20', '--seed', '1')
    const users = (await records('user')).slice(-20)
    assert.equal(new Set(users.map(({ password }) => password)).size, 1)
    for (const user of users) {
      assert.match(String(user.password), /^\$argon2id\$/)
      assert.deepEqual([user.is_superuser, user.groups, user.permissions], [false, [], []])
    }
    const name = String(users[0]?.username)
    await admin(['users', 'passwd', name, '--password-stdin'], { stdin: 'a-new-password-1\n' })
    const changed = (await records('user')).find(({ username }) => username === name)
    assert.notEqual(changed?.password, users[0]?.password)
  })

  test('uses the locale', async () => {
    await mock('user', '--count', '50', '--seed', '1', '--locale', 'de')
    const names = (await records('user')).slice(-50).map(({ last_name }) => String(last_name))
    assert.ok(
      names.some((name) => /[äöüß]/.test(name)),
      names.join(),
    )
  })

  test('checks the limit of a server before it sends a request', async () => {
    const whileRunning = async () => {
      const { code, stderr } = await mock('tag', '--count', '10001')
      const remedy = 'run the command several times, or stop the server'
      assert.deepEqual(
        [code, stderr],
        [1, `error A running server creates at most 10000 records per model and call; ${remedy}\n`],
      )
    }
    assert.equal((await admin(['serve', '--port', '0'], { whileRunning })).code, 0)
  })

  test('reset and snapshot use a running server', async () => {
    await admin(['serve', '--port', '0', '--no-rate-limit'], {
      async whileRunning() {
        for (const argv of [
          ['snapshot', 'save', 'before'],
          ['reset', '--yes'],
          ['snapshot', 'load', 'before', '--yes'],
        ]) {
          const { code, stderr } = await admin(argv)
          assert.equal(code, 0, `${argv.join(' ')}: ${stderr}`)
          const left = argv[0] === 'reset' ? 0 : 12
          assert.equal(JSON.parse((await admin(['export', 'tag', '--format', 'json'])).stdout).length, left, argv.join(' '))
        }
        assert.match((await admin(['snapshot', 'list'])).stdout, /before/)
      },
    })
    assert.equal((await records('tag')).length, 12)
  })

  for (const [what, argv, code, words] of [
    ['no model', [], 2, 'error Name the models, or use --all for every model\n'],
    ['a model and all', ['tag', '--all'], 2, 'error Name the models, or use --all for every model\n'],
    ['an unknown model', ['tagg'], 1, "error There is no model 'tagg'; did you mean 'tag'?\n"],
    ['a count of nothing', ['tag', '--count', '0'], 2, /The count is a whole number from 1 to 100000/],
    ['a count that is text', ['tag', '--count', 'x'], 2, /The count is a whole number from 1 to 100000/],
    ['a seed that is text', ['tag', '--seed', 'x'], 2, /The seed is a whole number from 0 to 4294967295/],
    ['an unknown locale', ['tag', '--locale', 'pt_PR'], 2, "error There is no locale 'pt_PR'; did you mean 'pt_BR'?\n"],
  ] as const) {
    test(`refuses ${what}, and creates nothing`, async () => {
      const result = await mock(...argv)
      assert.deepEqual([result.code, result.stdout], [code, ''], result.stderr)
      if (typeof words === 'string') assert.equal(result.stderr, words)
      else assert.match(result.stderr, words)
      assert.equal((await records('tag')).length, 12)
    })
  }
})

const SHOP = `
- { name: Owner, fields: [{ name: email, type: email, required: true, unique: true }] }
- { name: Shop, fields: [{ name: owner_id, type: one_to_one, model: owner, required: true }] }
- { name: Code, fields: [{ name: code, type: choice, choices: [a, b], required: true, unique: true }] }`

describe('admin mock in a project of one’s own', () => {
  for (const [what, argv, words] of [
    [
      'there is nothing to refer to',
      ['shop'],
      "error 'owner_id' of Shop is mandatory, and there is no owner to refer to; mock owner as well\n",
    ],
    [
      'no value is left',
      ['owner', 'code', '--count', '3'],
      /^error No value was found for 'code' of Code in 10000 tries; it is unique, so/,
    ],
  ] as const) {
    test(`says that ${what}, before anything is created`, async () => {
      await using project = await makeProject({ 'models/shop.yaml': SHOP })
      const { code, stderr } = await runCli(['mock', ...argv], { cwd: project.path })
      assert.equal(code, 1)
      if (typeof words === 'string') assert.equal(stderr, words)
      else assert.match(stderr, words)
      const { stdout } = await runCli(['doctor', '--json'], { cwd: project.path })
      assert.deepEqual(Object.keys(JSON.parse(stdout).tables), ['permission'])
    })
  }

  test('mocks one of each where each may have one', async () => {
    await using project = await makeProject({ 'models/shop.yaml': SHOP })
    assert.equal((await runCli(['mock', 'shop', 'owner', '--count', '50'], { cwd: project.path })).code, 0)
  })
})

test('admin serve --ephemeral begins with the seed records each time, and writes nothing', async () => {
  await using project = await copyFixture('blog')
  const serve = (whileRunning: CliOptions['whileRunning'] & {}) =>
    runCli(['serve', '--port', '0', '--ephemeral', '--show-token'], { cwd: project.path, whileRunning })
  const totals: number[] = []
  const api = async (stdout: string, stderr: string) => {
    const token = /^eyJ\S+$/m.exec(stderr)?.[0]
    const url = `${addressIn(stdout)}/api/v1/models/tag`
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const list = (await (await fetch(url, { headers })).json()) as { total: number }
    totals.push(list.total)
    const body = JSON.stringify({ data: { name: 'New', slug: 'new' } })
    assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 201)
  }
  for (let time = 0; time < 2; time++) {
    const { code, stderr } = await serve((stdout, said) => waitFor(said).then((text) => api(stdout, text)))
    assert.equal(code, 0, stderr)
    assert.match(stderr, /Data in memory, lost when the server stops \(\d+ records from 8 seed files\)/)
  }
  assert.deepEqual(totals, [12, 12])
  await assert.rejects(readFile(join(project.path, 'data/secret')), { code: 'ENOENT' })
  await assert.rejects(readFile(join(project.path, 'data/db.json')), { code: 'ENOENT' })
  const both = await runCli(['serve', '--ephemeral', '--data', 'x'], { cwd: project.path })
  assert.deepEqual([both.code, /cannot be used with option/.test(both.stderr)], [2, true], both.stderr)
})

/** What was said once the token is. */
async function waitFor(said: () => string): Promise<string> {
  for (let turn = 0; turn < 10_000 && !/^eyJ/m.test(said()); turn++) await new Promise((resolve) => setImmediate(resolve))
  return said()
}
