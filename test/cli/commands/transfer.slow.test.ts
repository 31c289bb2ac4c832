import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type CliOptions, type CliResult, runCli } from '../../helpers/cli/cli.ts'
import { copyFixture, makeProject, type TemporaryFolder } from '../../helpers/fixture.ts'
import { testsOf } from '../../helpers/tests-of.ts'
import { EVERYTHING, THINGS } from '../../transfer/everything.ts'

type Run = (line: string, options?: Omit<CliOptions, 'cwd'>) => Promise<CliResult>

/** Does something in a project, by commands that are expected to end with 0 unless they are looked at. */
async function inProject(folder: TemporaryFolder, work: (run: Run, path: string) => Promise<void>): Promise<void> {
  try {
    await work((line, options) => runCli(line.split(' '), { cwd: folder.path, ...options }), folder.path)
  } finally {
    await folder.remove()
  }
}

/** The blog, with data in it. */
async function inBlog(work: (run: Run, path: string) => Promise<void>): Promise<void> {
  await inProject(await copyFixture('blog'), async (run, path) => {
    const { code, stderr } = await run('import tag - --format csv --dry-run', { stdin: 'name,slug\n' })
    assert.equal(code, 0, stderr)
    await work(run, path)
  })
}

const blogTest = testsOf(inBlog)

async function ok(result: Promise<CliResult>): Promise<CliResult> {
  const found = await result
  assert.equal(found.code, 0, found.stderr)
  return found
}

describe('export, import into an empty store, export: the same bytes', () => {
  for (const format of ['csv', 'json', 'ndjson']) {
    test(`${format}, a field of every type`, () =>
      inEverything(async (run) => {
        const stdin = JSON.stringify(THINGS)
        await ok(run('import thing - --format json --data one', { stdin: JSON.stringify(JSON.parse(stdin)) }))
        const first = await ok(run(`export thing --format ${format} --data one`))
        const again = await ok(run(`import thing - --format ${format} --keep-ids --data two`, { stdin: first.stdout }))
        assert.equal(again.stderr, `Imported ${THINGS.length} records\n`)
        const second = await ok(run(`export thing --format ${format} --data two`))
        assert.equal(second.stdout, first.stdout)
        assert.doesNotMatch(first.stdout, /a_secret|do-not-tell/)
      }))
  }

  test('of records whose ids have gaps and whose timestamps lie in the past; new ids follow', () =>
    inEverything(async (run) => {
      const stdin = 'id,a_slug,parent_id,created_at,updated_at\n9,a,3,2001-01-01,2002-01-01T00:00:00Z\n3,b,9,,\n'
      await ok(run('import thing - --format csv --keep-ids', { stdin }))
      await ok(run('import thing - --format csv', { stdin: 'a_slug\nc\n' }))
      const { stdout } = await ok(run('export thing --fields a_slug,parent_id,created_at'))
      const [, second = '', third = '', fourth = ''] = stdout.split('\r\n')
      assert.match(second, /^3,b,9,20/)
      assert.equal(third, '9,a,3,2001-01-01T00:00:00.000Z')
      assert.match(fourth, /^10,c,,20/)
      const { code, stderr } = await run('import thing - --format csv --keep-ids', { stdin: 'id,a_slug\n9,x\n0,y\n' })
      assert.equal(code, 1)
      assert.equal(stderr, 'error -:2: id must be unique\nerror -:3: id must be an integer from 1 to 4503599627370496\n')
    }))
})

const inEverything = async (work: (run: Run, path: string) => Promise<void>) => inProject(await makeProject(EVERYTHING), work)

describe('admin export', () => {
  blogTest('writes to stdout what the API answers, filtered, sorted and narrowed', async (run) => {
    const { stdout, stderr } = await ok(
      run('export tag --filters slug__startswith=f --sort-by slug --sort-order desc --fields slug'),
    )
    const [header, ...rows] = stdout.trimEnd().split('\r\n')
    assert.equal(header, 'id,slug')
    assert.ok(rows.length > 0, stdout)
    assert.ok(
      rows.every((row) => /^\d+,f/.test(row)),
      stdout,
    )
    assert.equal(stderr, '')
    assert.match((await ok(run('export tag --bom --fields slug'))).stdout, /^\uFEFFid,slug\r\n/)
  })

  blogTest('does not overwrite a file, and leaves no temporary file', async (run, path) => {
    assert.equal((await ok(run('export tag -o tags.csv'))).stderr, 'Wrote 12 records to tags.csv\n')
    await writeFile(join(path, 'tags.csv'), 'mine')
    const { code, stderr } = await run('export tag -o tags.csv')
    assert.deepEqual([code, stderr], [1, 'error tags.csv already exists; --force overwrites it\n'])
    assert.equal(await readFile(join(path, 'tags.csv'), 'utf8'), 'mine')
    await ok(run('export tag -o tags.csv --force'))
    assert.match(await readFile(join(path, 'tags.csv'), 'utf8'), /^id,name,slug/)
    assert.deepEqual(
      (await readdir(path)).filter((name) => name.includes('.tmp')),
      [],
    )
  })

  blogTest('never writes through a symbolic link', async (run, path) => {
    await mkdir(join(path, 'out'))
    await writeFile(join(path, 'precious'), 'mine')
    await symlink('../precious', join(path, 'out/tag.csv'))
    await symlink('../new', join(path, 'out/post.csv'))
    for (const line of ['export tag -o out/tag.csv', 'export post -o out/post.csv', 'export --all -o out']) {
      assert.equal((await run(line)).code, 1, line)
    }
    assert.deepEqual(await readdir(join(path, 'out')), ['post.csv', 'tag.csv'])
    assert.equal(await readlink(join(path, 'out/tag.csv')), '../precious')
    await ok(run('export --all -o out --force'))
    assert.equal(await readFile(join(path, 'precious'), 'utf8'), 'mine')
    await assert.rejects(readFile(join(path, 'new')), /ENOENT/)
    assert.match(await readFile(join(path, 'out/tag.csv'), 'utf8'), /^id,name,slug/)
  })

  blogTest('--all writes every model to a folder that it creates', async (run, path) => {
    const { stderr } = await ok(run('export --all --format ndjson -o a/b'))
    const expected = ['category', 'comment', 'fee', 'group', 'permission', 'post', 'savedview', 'tag', 'user'].map(
      (name) => `${name}.ndjson`,
    )
    assert.deepEqual((await readdir(join(path, 'a/b'))).sort(), expected)
    assert.match(stderr, /Wrote 46 records to a\/b\/post.ndjson\n/)
  })

  blogTest('shows a progress bar on a terminal only', async (run) => {
    const { stderr } = await ok(run('export post -o posts.csv', { terminal: true }))
    assert.match(stderr, /^\rpost {2}█{24} {2}100 %\r.\[KWrote 46 records to posts.csv\n$/)
  })

  const wrong: readonly (readonly [line: string, code: number, says: RegExp])[] = [
    ['export', 2, /Name a model, or use --all/],
    ['export tag --all -o out', 2, /Name a model, or use --all/],
    ['export --all', 2, /name the folder with -o/],
    ['export --all -o out --fields id', 2, /one by one/],
    ['export pots', 1, /There is no model 'pots'; did you mean 'post'\?/],
    ['export post --filters titel=x', 1, /did you mean 'title'/],
    ['export post -o nowhere/posts.csv', 1, /nowhere\/posts.csv cannot be written: its folder does not exist/],
    ['export post --format xml', 2, /Allowed choices are csv, json, ndjson/],
  ]
  for (const [line, code, says] of wrong) {
    blogTest(`is refused: ${line}`, async (run) => {
      const result = await run(line)
      assert.equal(result.code, code, result.stderr)
      assert.match(result.stderr, says)
      assert.equal(result.stdout, '')
    })
  }
})

describe('admin import', () => {
  blogTest('detects the format by the file name; prints a summary', async (run, path) => {
    await writeFile(join(path, 'tags.csv'), 'name,slug\nReef,reef\n')
    const dry = await ok(run('import tag tags.csv --dry-run --json'))
    assert.deepEqual(JSON.parse(dry.stdout), { created: 1, updated: 0, total: 1, ignored: [] })
    assert.equal(dry.stderr, '1 record would be imported; nothing was changed\n')
    assert.equal((await ok(run('import tag tags.csv'))).stderr, 'Imported 1 record\n')
    const { stderr } = await ok(run('import tag tags.csv --upsert-by slug'))
    assert.equal(stderr, 'Imported 1 record (0 created, 1 updated)\n')
  })

  blogTest('reports the position of every fault', async (run, path) => {
    await writeFile(join(path, 'tags.csv'), 'name,slug\n"two\nlines",two\n,x y\n')
    const { code, stderr } = await run('import tag tags.csv')
    assert.equal(code, 1)
    assert.equal(stderr, "error tags.csv:4: name is mandatory\nerror tags.csv:4: slug format is invalid: 'x y'\n")
    await writeFile(join(path, 'tags.json'), '[{"name": "a", "slug": "a"}, 7]')
    assert.equal((await run('import tag tags.json')).stderr, 'error tags.json: row 2: A record must be an object\n')
  })

  blogTest('finds the delimiter in the header, or takes the named one; a zero fraction is no fraction', async (run, path) => {
    const header = ['title', 'slug', 'body', 'author_id', 'views_count']
    const row = (slug: string, views: string) => [`A ${slug}`, slug, 'x', '3.0', views]
    for (const [name, delimiter] of [
      ['comma', ','],
      ['semicolon', ';'],
      ['tab', '\t'],
    ] as const) {
      const written = (rows: readonly string[][]) => rows.map((cells) => `${cells.join(delimiter)}\n`).join('')
      await writeFile(join(path, 'posts.csv'), written([header, row(name, '15.0')]))
      assert.equal((await ok(run('import post posts.csv'))).stderr, 'Imported 1 record\n')
      await writeFile(join(path, 'posts.csv'), written([header, row(`${name}-2`, '16'), row(`${name}-3`, '15.5')]))
      const { code, stderr } = await run(`import post posts.csv --delimiter ${name}`)
      assert.deepEqual([code, stderr], [1, "error posts.csv:3: views_count must be an integer: '15.5'\n"])
    }
    assert.match((await run('import post posts.csv --delimiter comma')).stderr, /does not exist/)
    const { stdout } = await ok(run('export post --filters slug__in=comma,semicolon,tab --fields author_id,views_count'))
    assert.match(stdout, /^id,views_count,author_id\r\n(?:\d+,15,3\r\n){3}$/)
  })

  blogTest('beside a running server uses that server', async (run) => {
    await ok(
      run('serve --port 0', {
        whileRunning: async () => {
          const file = { stdin: 'name,slug\nReef,reef\n' }
          assert.equal((await ok(run('import tag - --format csv', file))).stderr, 'Imported 1 record\n')
          const { code, stderr } = await run('import tag - --format csv', file)
          assert.deepEqual([code, stderr], [1, 'error -:2: name must be unique\nerror -:2: slug must be unique\n'])
          const apart = { stdin: 'name;slug\n"two\nlines";two\n\n"x;y";x y\n' }
          assert.equal((await run('import tag - --format csv', apart)).stderr, "error -:5: slug format is invalid: 'x y'\n")
          const json = { stdin: '[{"name": "a", "slug": "a"}, 7]' }
          assert.equal((await run('import tag - --format json', json)).stderr, 'error -: row 2: A record must be an object\n')
          assert.match((await run('import tag - --format csv --keep-ids', file)).stderr, /stop it to import with --keep-ids/)
          assert.match((await ok(run('export tag'))).stdout, /^13,Reef,reef/m)
        },
      }),
    )
  })

  const wrong: readonly (readonly [line: string, code: number, says: RegExp])[] = [
    ['import tag -', 2, /The format of stdin is unknown; add --format csv\|json\|ndjson/],
    ['import tag tags.xls', 2, /The format of tags.xls is unknown/],
    ['import tag nope.csv', 1, /nope.csv cannot be read: ENOENT/],
    ['import tag - --format csv --keep-ids --upsert-by slug', 2, /use one of them/],
    ['import tga - --format csv', 1, /There is no model 'tga' \(known: user, /],
  ]
  for (const [line, code, says] of wrong) {
    blogTest(`is refused: ${line}`, async (run) => {
      const result = await run(line)
      assert.equal(result.code, code, result.stderr)
      assert.match(result.stderr, says)
    })
  }
})
