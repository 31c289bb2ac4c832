import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type CliOptions, runCli } from '../../helpers/cli/cli.ts'
import { copyFixture, type TemporaryFolder } from '../../helpers/fixture.ts'
import { valuesOf } from '../../helpers/values-of.ts'

describe('admin reset and admin snapshot', () => {
  let project: TemporaryFolder

  const admin = (argv: readonly string[], options: Partial<CliOptions> = {}) => runCli(argv, { cwd: project.path, ...options })
  const data = (name: string) => join(project.path, 'data', name)
  const counts = async () => {
    const { stdout } = await admin(['doctor', '--json'])
    const { tables } = JSON.parse(stdout) as { tables: Record<string, number> }
    return { user: tables.user, tag: tables.tag, permission: tables.permission }
  }

  before(async () => {
    project = await copyFixture('blog')
  })
  after(() => project.remove())

  test('reset --seed-data equals the first start: ids restart, the secret stays', async () => {
    assert.deepEqual(await admin(['reset', '--yes', '--seed-data', '--json']), {
      code: 0,
      stdout: '{"seeded":198}\n',
      stderr: 'This deletes nothing; accounts stay (--accounts deletes them, too)\nDeleted nothing; created 198 seed records\n',
    })
    const secret = await readFile(data('secret'), 'utf8')
    await admin(['mock', 'tag', '--count', '3'])
    assert.equal((await counts()).tag, 15)
    assert.equal((await admin(['reset', '--yes', '--seed-data'])).code, 0)
    assert.deepEqual(await counts(), { user: 9, tag: 12, permission: 32 })
    assert.equal(await readFile(data('secret'), 'utf8'), secret)
    await admin(['mock', 'tag', '--count', '1'])
    const { tables } = JSON.parse(await readFile(data('db.json'), 'utf8'))
    assert.equal(tables.tag.records.at(-1).id, 13)
  })

  test('reset leaves no record but the accounts, for the next start too', async () => {
    assert.equal((await admin(['reset', '--yes'])).code, 0)
    assert.deepEqual(await counts(), { user: 9, tag: undefined, permission: 32 })
    assert.equal((await admin(['serve', '--port', '0'])).code, 0)
    assert.deepEqual(await counts(), { user: 9, tag: undefined, permission: 32 })
  })

  test('reset --accounts leaves no record but the permissions, for the next start too', async () => {
    const { code, stderr } = await admin(['reset', '--yes', '--accounts'])
    assert.equal(code, 0)
    assert.match(
      stderr,
      /^Deleted 9 user records, 5 group records and 32 permission records; there are no users now; --seed-data/m,
    )
    assert.deepEqual(await counts(), { user: undefined, tag: undefined, permission: 32 })
    assert.equal((await admin(['serve', '--port', '0'])).code, 0)
    assert.deepEqual(await counts(), { user: undefined, tag: undefined, permission: 32 })
  })

  test('reset removes nothing when the seed records cannot be created', async () => {
    await admin(['reset', '--yes', '--seed-data', '--accounts'])
    const seed = join(project.path, 'seed/tag.yaml')
    const sound = await readFile(seed, 'utf8')
    await writeFile(seed, '- { name: Only a name }\n')
    const { code, stderr } = await admin(['reset', '--yes', '--seed-data'])
    await writeFile(seed, sound)
    assert.equal(code, 2)
    assert.match(stderr, /^error seed\/tag\.yaml:1:3: slug is mandatory$/m)
    assert.equal((await counts()).tag, 12)
  })

  test('reset works with unreadable data', async () => {
    await writeFile(data('db.json'), '{ broken')
    assert.equal((await admin(['serve', '--port', '0'])).code, 1)
    const kept = await admin(['reset', '--yes', '--seed-data'])
    assert.equal(kept.code, 1)
    assert.match(
      kept.stderr,
      /^error The accounts cannot be kept: `admin reset --accounts` deletes all data without reading it$/m,
    )
    const { code, stderr } = await admin(['reset', '--yes', '--seed-data', '--accounts'])
    assert.equal(code, 0)
    assert.match(stderr, /^This deletes all data, which cannot be read$/m)
    assert.equal((await counts()).tag, 12)
  })

  test('loading a snapshot restores the data', async () => {
    assert.match((await admin(['snapshot', 'list'])).stderr, /^There are no snapshots; `admin snapshot save NAME` saves one$/m)
    const before = await readFile(data('db.json'))
    const saved = await admin(['snapshot', 'save', 'v1.before-import'])
    assert.deepEqual([saved.code, saved.stdout, saved.stderr], [0, '', `Saved 'v1.before-import' (${before.length} bytes)\n`])
    await admin(['mock', '--all', '--count', '5'])
    assert.notDeepEqual(await readFile(data('db.json')), before)
    const loaded = await admin(['snapshot', 'load', 'v1.before-import', '--yes'])
    assert.deepEqual([loaded.code, loaded.stderr], [0, `Loaded 'v1.before-import' (${before.length} bytes)\n`])
    assert.deepEqual(await readFile(data('db.json')), before)
    assert.equal((await admin(['serve', '--port', '0'])).code, 0)
    assert.deepEqual(await readdir(data('snapshots')), ['v1.before-import.json'])
  })

  test('snapshots are listed by name', async () => {
    await admin(['snapshot', 'save', 'another'])
    const { stdout } = await admin(['snapshot', 'list'])
    assert.match(stdout, /^NAME +BYTES +SAVED\nanother +\d+ +\d{4}-\S+Z\nv1\.before-import +\d+ +\d{4}-\S+Z\n$/)
    const listed = JSON.parse((await admin(['snapshot', 'list', '--json'])).stdout) as { name: string }[]
    assert.deepEqual(valuesOf(listed, 'name'), ['another', 'v1.before-import'])
  })

  test('a snapshot is overwritten only with --force', async () => {
    const { code, stderr } = await admin(['snapshot', 'save', 'another'])
    assert.deepEqual([code, stderr], [1, "error The snapshot 'another' already exists; --force overwrites it\n"])
    assert.equal((await admin(['snapshot', 'save', 'another', '--force'])).code, 0)
  })

  for (const name of ['../x', '..', '.', '.x', 'a/b', '/tmp/x', 'a\\b', '', 'a\nb', 'x'.repeat(101), '-x\u0000']) {
    test(`no snapshot is named ${JSON.stringify(name.slice(0, 12))}`, async () => {
      for (const command of ['save', 'load']) {
        const { code, stderr } = await admin(['snapshot', command, '--', name])
        assert.equal(code, 2, stderr)
        assert.match(stderr, /is not a valid name of a snapshot: use letters, digits/)
      }
      assert.deepEqual(await readdir(data('snapshots')), ['another.json', 'v1.before-import.json'])
    })
  }

  test('an unknown snapshot is reported with the most similar name', async () => {
    const { code, stderr } = await admin(['snapshot', 'load', 'anohter', '--yes'])
    assert.deepEqual([code, stderr], [1, "error There is no snapshot 'anohter'; did you mean 'another'?\n"])
  })

  test('without data there is nothing to save', async () => {
    await using other = await copyFixture('minimal')
    const { code, stderr } = await runCli(['snapshot', 'save', 'x'], { cwd: other.path })
    assert.equal(code, 1)
    assert.match(stderr, /There is no data in .* yet/)
  })
})
