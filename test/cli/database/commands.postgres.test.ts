import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { addressIn } from '../../helpers/cli/cli.ts'
import { type DatabaseProject, databaseProject, SECRET_KEY, succeeded } from '../../helpers/postgres/cli-project.ts'
import { NO_POSTGRES } from '../../helpers/postgres/server.ts'

describe('commands with the records in PostgreSQL', { skip: NO_POSTGRES }, () => {
  let project: DatabaseProject
  const admin = async (...argv: string[]) => succeeded(await project.admin(argv))
  const counts = async () => {
    const { stdout } = await project.admin(['export', 'tag', '--format', 'ndjson'])
    return stdout.split('\n').filter(Boolean).length
  }

  before(async () => {
    project = await databaseProject('blog')
  })
  after(() => project.remove())

  test('a command that only reads changes nothing in an empty database', async () => {
    const { code, stderr } = await project.admin(['export', 'tag'])
    assert.equal(code, 1)
    assert.match(stderr, /There is no data in postgres:.*; start `admin serve` once to create it\n$/)
    const { stdout } = await project.admin(['doctor', '--json'])
    const { checks } = JSON.parse(stdout)
    const tables = checks.find(({ name }: { name: string }) => name === 'tables')
    assert.deepEqual(tables, { name: 'tables', level: 'ok', message: 'there are no tables yet; the first start creates them' })
    const repair = await project.admin(['doctor', '--repair'])
    assert.equal(repair.code, 1)
    assert.match(repair.stderr, /The schema 'test_\d+_\d+' has no tables yet; create them with `admin migrate --apply`/)
  })

  test('a first start creates the tables and the seed records; data/ stays unused', async () => {
    const token = /"access_token":"([^"]+)"/
    let me = ''
    const { code, stderr } = await project.admin(['serve', '--port', '0', '--log-format', 'text'], {
      async whileRunning(stdout) {
        const api = `${addressIn(stdout)}/api/v1`
        const headers = { 'content-type': 'application/json' }
        const body = JSON.stringify({ username: 'admin', password: 'harbour-admin-2024' })
        const login = await (await fetch(`${api}/auth/token`, { method: 'POST', headers, body })).text()
        const authorization = `Bearer ${token.exec(login)?.[1]}`
        me = await (await fetch(`${api}/auth/me`, { headers: { authorization } })).text()
      },
    })
    assert.equal(code, 0, stderr)
    assert.match(me, /"username":"admin"/)
    assert.match(stderr, /^Data in postgres:.*, schema test_\d+_\d+ \(198 records from 8 seed files\)$/m)
    assert.ok(!existsSync(join(project.folder.path, 'data')))
  })

  test('a second start creates no seed records', async () => {
    const { stderr } = await project.admin(['serve', '--port', '0', '--log-format', 'text'])
    assert.doesNotMatch(stderr, /seed files/)
  })

  test('records are exported, imported and mocked', async () => {
    const before = await counts()
    assert.equal(before, 12)
    await writeFile(join(project.folder.path, 'more.csv'), 'name,slug\r\nOyster,oyster\r\n')
    await admin('import', 'tag', 'more.csv')
    await admin('mock', 'tag', '--count', '3')
    assert.equal(await counts(), before + 4)
    assert.match(await admin('export', 'tag', '--format', 'csv', '--filters', 'slug=oyster'), /Oyster/)
  })

  test('users are added and listed, and tokens are issued', async () => {
    await admin('users', 'add', 'ann', '--email', 'ann@example.com', '--password-stdin')
    const users = JSON.parse(await admin('users', 'list', '--json')) as { username: string }[]
    assert.ok(users.some(({ username }) => username === 'ann'))
    assert.match(await admin('token', '--user', 'ann'), /^eyJ\S+\n$/)
  })

  test('webhooks, history, search, types and lint work', async () => {
    await admin('webhooks', 'add', 'https://hooks.example.com/in', '--events', 'create')
    assert.match(await admin('webhooks', 'list'), /hooks\.example\.com/)
    assert.match(await admin('history', 'tag'), /Oyster|create/)
    assert.match(await admin('search', 'tag', 'oyster'), /Oyster/)
    assert.match(await admin('types'), /interface Tag/)
    assert.match(await admin('openapi'), /"openapi"/)
    assert.match(await admin('lint', '--data'), /No findings/)
  })

  test('doctor checks the database', async () => {
    const { code, stdout } = await project.admin(['doctor'])
    const names = stdout.split('\n').map((line) => line.slice(6).split(' ')[0])
    assert.deepEqual(
      names.filter(Boolean),
      [
        'node',
        'config',
        'secret',
        'connection',
        'version',
        'settings',
        'rights',
        'tables',
        'indexes',
        'search',
        'clock',
        'triggers',
        'totals',
        'ids',
        'words',
        'listen',
        'models',
        'images',
        'files',
        'lint',
      ],
      stdout,
    )
    assert.equal(code, 0, stdout)
    assert.match(stdout, /^ok {4}tables {6}as the models define$/m)
    assert.match(stdout, /^ok {4}indexes {5}complete$/m)
    assert.match(stdout, /^ok {4}listen {6}notifications of changes arrive$/m)
  })

  test('snapshots, compaction and repairs name the tools of PostgreSQL', async () => {
    for (const argv of [['save', 'x'], ['load', 'x'], ['list'], ['remove', 'x']]) {
      const { code, stderr } = await project.admin(['snapshot', ...argv])
      assert.deepEqual([code, /save them with pg_dump/.test(stderr)], [2, true], stderr)
    }
    assert.match((await project.admin(['compact'])).stderr, /the records are in postgres:.* needs no compaction/)
    assert.match((await project.admin(['doctor', '--repair', 'saved'])).stderr, /pg_restore/)
  })

  test('the API refuses snapshots, and the description of the site has none', async () => {
    let replies: unknown[] = []
    const token = (await admin('token')).trim()
    await project.admin(['serve', '--port', '0'], {
      async whileRunning(stdout) {
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
        const api = `${addressIn(stdout)}/api/v1`
        const list = await fetch(`${api}/snapshots`, { headers })
        const save = await fetch(`${api}/snapshots`, { method: 'POST', headers, body: '{"name":"x"}' })
        const site = (await (await fetch(`${addressIn(stdout)}/admin/api/v1/site`, { headers })).json()) as {
          capabilities: { snapshots: boolean }
        }
        replies = [list.status, save.status, ((await save.json()) as { error: string }).error, site.capabilities.snapshots]
      },
    })
    assert.deepEqual(replies, [400, 400, 'Wrong usage', false])
  })

  test('a reset keeps the accounts, restarts ids, and can create the seed records', async () => {
    const first = await project.admin(['reset', '--yes'])
    assert.match(first.stderr, /^This deletes .*tag records.*; accounts stay/)
    assert.equal(await counts(), 0)
    await admin('mock', 'tag', '--count', '1')
    assert.match(await admin('export', 'tag', '--format', 'ndjson'), /^\{"id":1,/)
    assert.equal(succeeded(await project.admin(['reset', '--yes', '--seed-data', '--accounts', '--json'])), '{"seeded":198}\n')
    assert.equal(await counts(), 12)
    const users = JSON.parse(await admin('users', 'list', '--json')) as { username: string }[]
    assert.ok(!users.some(({ username }) => username === 'ann'))
  })

  test('a reset by the API replaces the application, which serves on', async () => {
    let seen: unknown[] = []
    const token = (await admin('token')).trim()
    await project.admin(['serve', '--port', '0'], {
      async whileRunning(stdout) {
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
        const api = `${addressIn(stdout)}/api/v1`
        const reset = await fetch(`${api}/reset`, { method: 'POST', headers, body: '{"seed_data":true}' })
        const { seeded } = (await reset.json()) as { seeded: number }
        const tags = (await (await fetch(`${api}/models/tag`, { headers })).json()) as { total: number }
        seen = [reset.status, seeded > 100, tags.total]
      },
    })
    assert.deepEqual(seen, [200, true, 12])
  })

  test('metrics show the pool, the statements and no journal', async () => {
    let metrics = ''
    await project.admin(['serve', '--port', '0'], {
      async whileRunning(stdout) {
        metrics = await (await fetch(`${addressIn(stdout)}/metrics`)).text()
      },
    })
    assert.match(metrics, /^admin_database_connections [1-9]\d*$/m)
    assert.match(metrics, /^admin_database_waiting 0$/m)
    assert.match(metrics, /^admin_database_statement_duration_seconds_count [1-9]\d*$/m)
    assert.match(metrics, /^admin_database_retries_total \d+$/m)
    assert.match(metrics, /^admin_records\{model="tag"\} 12$/m)
    assert.doesNotMatch(metrics, /admin_journal_bytes/)
  })

  test('--ephemeral uses memory, whatever the setting says', async () => {
    const before = await counts()
    const { code, stderr } = await project.admin(['serve', '--port', '0', '--ephemeral', '--log-format', 'text'], {
      env: { ...project.env, ADMIN_STORE: 'postgres://nobody@127.0.0.1:1/none', XDG_RUNTIME_DIR: project.folder.path },
    })
    assert.equal(code, 0, stderr)
    assert.match(stderr, /^Data in memory, lost when the server stops/m)
    assert.equal(await counts(), before)
  })

  test('without a secret key no command opens the database', async () => {
    const { ADMIN_SECRET_KEY: _, ...env } = project.env
    for (const argv of [
      ['serve', '--port', '0'],
      ['export', 'tag'],
    ]) {
      const { code, stderr } = await project.admin(argv, { env })
      assert.equal(code, 2)
      assert.match(stderr, /^error 'secret_key' must be set with a database as 'store'.*set ADMIN_SECRET_KEY/)
    }
    const { code, stdout } = await project.admin(['doctor'], { env })
    assert.equal(code, 1)
    assert.match(stdout, /^fail {2}secret {6}secret_key must be set/m)
    assert.ok(!stdout.includes(SECRET_KEY))
  })
})

test('doctor names the records and permissions of a removed model, and --purge removes them', { skip: NO_POSTGRES }, async () => {
  await using project = await databaseProject({
    'models/note.yaml': 'name: Note\nfields:\n  - { name: title, type: string }\n',
    'models/other.yaml': [
      'name: Other',
      'fields:',
      '  - { name: title, type: string }',
      '  - { name: note_id, type: foreignkey, model: note }',
      '  - { name: notes, type: many_to_many, model: note }',
      '',
    ].join('\n'),
  })
  const { admin } = project
  succeeded(await admin(['mock', 'note', 'other', '--count', '3']))
  await rm(join(project.folder.path, 'models/other.yaml'))
  const warning = "'other' is no model any more, and has 3 records and 4 permissions"
  assert.match((await admin(['doctor'])).stdout, new RegExp(`^warn  models +${warning}: admin doctor --purge removes them$`, 'm'))
  const early = await admin(['doctor', '--purge', '--yes'])
  assert.deepEqual([early.code, /admin migrate --apply/.test(early.stderr)], [1, true], early.stderr)
  const repair = await admin(['doctor', '--repair'])
  assert.deepEqual(
    [repair.code, /apply the steps first, with `admin migrate --apply`/.test(repair.stderr)],
    [1, true],
    repair.stderr,
  )
  succeeded(await admin(['migrate', '--apply']))
  assert.equal((await admin(['doctor', '--purge'])).code, 2)
  const done = await admin(['doctor', '--purge', '--yes'])
  assert.equal(done.code, 0, done.stderr)
  assert.match(done.stderr, /\nDeleted 3 records and 4 permissions\n$/)
  const { stdout } = await admin(['doctor'])
  assert.match(stdout, /^ok {4}tables {6}as the models define$/m)
  assert.match(stdout, /^ok {4}models {6}no records or permissions of removed models$/m)
  assert.equal(
    succeeded(await admin(['export', 'permission', '--format', 'ndjson']))
      .trim()
      .split('\n').length,
    20,
  )
  assert.equal(
    succeeded(await admin(['export', 'note', '--format', 'ndjson']))
      .trim()
      .split('\n').length,
    3,
  )
  assert.match((await admin(['migrate', '--plan'])).stderr, /is up to date\n$/)
})
