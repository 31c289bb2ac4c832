import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { addressIn, type CliOptions, runCli } from '../../helpers/cli/cli.ts'
import { copyFixture, type TemporaryFolder } from '../../helpers/fixture.ts'

describe('admin search', () => {
  let project: TemporaryFolder

  const admin = (argv: readonly string[], options: Partial<CliOptions> = {}) => runCli(argv, { cwd: project.path, ...options })
  /** What a search shows, line by line, and what it says of it. */
  const search = async (argv: readonly string[], options: Partial<CliOptions> = {}) => {
    const { code, stdout, stderr } = await admin(['search', ...argv], options)
    assert.equal(code, 0, stderr)
    return { lines: stdout.split('\n').slice(0, -1), said: stderr }
  }

  before(async () => {
    project = await copyFixture('blog')
    assert.equal((await admin(['serve', '--port', '0'])).code, 0)
  })
  after(() => project.remove())

  test('prints the id, the display field and other matches of each record', async () => {
    const { lines, said } = await search(['post', 'empty', 'ferry'])
    assert.deepEqual(lines, ['4  Night ferry, empty deck', '   slug: night-ferry-empty-deck'])
    assert.equal(said, '1 record found\n')
  })

  test('prints an excerpt of a long text on one line', async () => {
    const { lines } = await search(['post', 'ferry', '--fields', 'body'])
    assert.ok(lines.length >= 6, lines.join('\n'))
    for (const [index, line] of lines.entries()) assert.match(line, index % 2 === 0 ? /^\d+ +[^ ]/ : /^ {4}body: .*ferr(y|ies)/i)
    for (const line of lines) assert.ok(line.length < 120, line)
  })

  test('highlights matches on a terminal only', async () => {
    const { lines } = await search(['tag', 'ferries', '--fields', 'name'], { terminal: true })
    assert.deepEqual(lines, ['\u001b[36m2  \u001b[39m\u001b[1m\u001b[33mFerries\u001b[39m\u001b[22m'])
    for (const options of [{ terminal: true, env: { NO_COLOR: '1' } }, {}]) {
      assert.deepEqual((await search(['tag', 'ferries', '--fields', 'name'], options)).lines, ['2  Ferries'])
    }
  })

  test('prints up to the limit and the total', async () => {
    const all = await search(['comment', 'harbour', '--fields', 'body', '--limit', '1000', '--json'])
    const { total } = JSON.parse(all.lines.join('')) as { total: number }
    assert.ok(total > 1, `${total} comments`)
    const { lines, said } = await search(['comment', 'harbour', '--fields', 'body', '--limit', '1'])
    assert.equal(lines.length, 1)
    assert.match(said, new RegExp(`^${total} records found; the first is shown\n$`))
  })

  test('finds misspelt words with --fuzzy, and reports partial matches', async () => {
    assert.deepEqual((await search(['tag', 'feries', '--fields', 'name'])).lines, [])
    assert.deepEqual((await search(['tag', 'feries', '--fields', 'name', '--fuzzy'])).lines, ['2  Ferries'])
    const { lines, said } = await search(['tag', 'ferries', 'xylophone', '--fields', 'name'])
    assert.deepEqual([lines, said], [['2  Ferries'], 'No record has all of the words; these have some of them\n1 record found\n'])
  })

  test('--sort-by replaces the order of relevance', async () => {
    const inOrder = async (...order: string[]) => {
      const { lines } = await search(['post', 'ferry', '--json', '--sort-by', ...order])
      return (JSON.parse(lines.join('')) as { data: { id: number }[] }).data.map(({ id }) => id)
    }
    const ids = await inOrder('id')
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => a - b),
    )
    assert.deepEqual(await inOrder('id', '--sort-order', 'desc'), ids.toReversed())
  })

  test('exits 0 without a match', async () => {
    assert.deepEqual(await search(['post', 'xylophone']), { lines: [], said: 'Nothing found\n' })
  })

  test('--json prints what the API answers, and works beside a running server', async () => {
    await admin(['serve', '--port', '0'], {
      async whileRunning(stdout) {
        const { stdout: token } = await admin(['token'])
        const url = `${addressIn(stdout)}/api/v1/models/post/search?q=ferry&fuzzy=true&fields=title,body`
        const answer = await (await fetch(url, { headers: { authorization: `Bearer ${token.trim()}` } })).json()
        const printed = await search(['post', 'ferry', '--fuzzy', '--fields', 'title,body', '--json'])
        assert.deepEqual(JSON.parse(printed.lines.join('\n')), answer)
      },
    })
  })

  for (const [what, argv, code, words] of [
    ['an unknown model', ['pots', 'x'], 1, "error There is no model 'pots'; did you mean 'post'?\n"],
    ['a model of the server’s own', ['authsession', 'x'], 1, /^error There is no model 'authsession'/],
    ['an unknown field', ['post', 'x', '--fields', 'titel'], 1, "error Unknown search field 'titel'; did you mean 'title'?\n"],
    ['a password', ['user', 'x', '--fields', 'password'], 1, /^error Unknown search field 'password' \(known: username/],
    ['no words', ['post'], 2, /missing required argument 'words'/],
    ['words that are none', ['post', ' '], 1, "error 'q' is empty; write what to search for\n"],
    ['no limit', ['post', 'x', '--limit', '0'], 2, /The limit is a whole number from 1 to 1000/],
    ['too high a limit', ['post', 'x', '--limit', '1001'], 2, /The limit is a whole number from 1 to 1000/],
  ] as const) {
    test(`refuses ${what}`, async () => {
      const result = await admin(['search', ...argv])
      assert.deepEqual([result.code, result.stdout], [code, ''], result.stderr)
      if (typeof words === 'string') assert.equal(result.stderr, words)
      else assert.match(result.stderr, words)
    })
  }

  test('without any data says so', async () => {
    await using other = await copyFixture('minimal')
    const { code, stderr } = await runCli(['search', 'user', 'x'], { cwd: other.path })
    assert.equal(code, 1)
    assert.match(stderr, new RegExp(`There is no data in ${join(other.path, 'data')} yet`))
  })
})
