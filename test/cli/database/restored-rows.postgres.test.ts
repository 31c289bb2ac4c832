import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { identifier, sql } from '../../../src/store/postgres/sql.ts'
import { startServer } from '../../helpers/cli/process.ts'
import { type DatabaseProject, databaseProject, succeeded } from '../../helpers/postgres/cli-project.ts'
import { postgresFolder } from '../../helpers/postgres/cluster.ts'
import { NO_POSTGRES, serverAddress, sharedDatabase } from '../../helpers/postgres/server.ts'

const FILES = {
  'admin.config.yaml': 'rate_limits: { default: 0 }\n',
  'models/tag.yaml': 'name: Tag\nfields: [{ name: name, type: string, required: true }]\n',
  'models/note.yaml':
    'name: Note\nfields: [{ name: title, type: string, required: true }, { name: tag_id, type: foreignkey, model: tag, on_delete: cascade }]\n',
}
const ROWS = 15
const folder = postgresFolder()
/** The folder of the programs themselves: `pg_dump` is beside `postgres`. */
const programs = folder && dirname(realpathSync(join(folder, 'postgres')))
const skip = NO_POSTGRES ?? (programs === undefined ? 'pg_dump is not installed' : undefined)
const options = skip === undefined ? {} : { skip }

interface Answer {
  readonly data: { readonly id: number }
  readonly total: number
  readonly error?: string
  readonly details?: string
}

/** A project with a superuser, served by a process of its own. */
async function served(project: DatabaseProject) {
  const server = await startServer(['--project', project.folder.path], { env: project.env })
  succeeded(await project.admin(['users', 'add', 'root', '--email', 'r@example.com', '--superuser', '--password-stdin']))
  const headers = {
    authorization: `Bearer ${succeeded(await project.admin(['token'])).trim()}`,
    'content-type': 'application/json',
  }
  const request = async (method: string, path: string, body?: object) => {
    const reply = await fetch(`${server.address}/api/v1/${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: reply.status, json: (await reply.json()) as Answer }
  }
  return { ...server, request, [Symbol.asyncDispose]: async () => void (await server.stop()) }
}

/** The levels of the checks of `admin doctor` that failed. */
async function failedChecks(project: DatabaseProject): Promise<string[]> {
  const { checks } = JSON.parse((await project.admin(['doctor', '--json'])).stdout) as {
    checks: { name: string; level: string }[]
  }
  return checks.filter(({ level }) => level === 'fail').map(({ name }) => name)
}

describe('rows that are written without triggers', () => {
  test('a restored pg_dump is named by admin doctor, and exact after --repair, while a server runs', options, async () => {
    const database = await sharedDatabase()
    await using source = await databaseProject(FILES)
    await using target = await databaseProject(FILES)
    await using from = await served(source)
    await using into = await served(target)
    for (let number = 1; number <= ROWS; number++) {
      const { json } = await from.request('POST', 'models/tag', { data: { name: `violet ${number}` } })
      await from.request('POST', 'models/note', { data: { title: `About violet ${number}`, tag_id: json.data.id } })
    }
    const documents = identifier(source.schema, '_admin_search_documents')
    while (Number((await database.query(sql`select count(*) from ${documents}`)).rows[0]?.[0]) < 2 * ROWS) await setTimeout(50)

    const run = promisify(execFile)
    const url = await serverAddress()
    const { stdout: dump } = await run(join(programs ?? '', 'pg_dump'), [
      url,
      '--data-only',
      '--disable-triggers',
      '--schema',
      source.schema,
    ])
    // What is in both schemas, such as the account, is refused, and the restoration goes on.
    const psql = run(join(programs ?? '', 'psql'), [url, '--quiet', '--output', '/dev/null'])
    psql.child.stdin?.end(dump.replaceAll(`${source.schema}.`, `${target.schema}.`))
    await psql
    assert.notEqual((await into.request('GET', 'models/tag')).json.total, ROWS)
    const failed = await failedChecks(target)
    assert.ok(failed.includes('totals') && failed.includes('words'), `failed: ${failed}`)

    const repaired = await target.admin(['doctor', '--repair'])
    assert.equal(repaired.code, 0, repaired.stdout)
    for (const model of ['tag', 'note']) {
      for (const list of [
        '?page_size=50&sort_by=id',
        '?page_size=5',
        '/search?q=violet&page_size=50',
        '/search?q=viloet%207&fuzzy=true&page_size=50',
      ]) {
        const expected = (await from.request('GET', `models/${model}${list}`)).json
        assert.ok(expected.total > 0, list)
        assert.deepEqual((await into.request('GET', `models/${model}${list}`)).json, expected, `${model}${list}`)
      }
      assert.equal((await into.request('GET', `models/${model}?page_size=5`)).json.total, ROWS)
    }
    assert.equal((await into.request('POST', 'models/tag', { data: { name: 'violet' } })).status, 201)
    assert.equal((await into.request('GET', 'models/tag/search?q=violet')).json.total, ROWS + 1)
    assert.equal((await into.request('GET', 'models/tag')).json.total, ROWS + 1)

    const tag = identifier(target.schema, 'tag')
    await database.query(sql`alter table ${tag} disable trigger all`)
    await database.query(sql`insert into ${tag} (id, name) overriding system value values (40, 'violet 40')`)
    assert.deepEqual(await failedChecks(target), ['triggers', 'totals', 'ids', 'words'])
    assert.match(
      (await target.admin(['doctor'])).stdout,
      /triggers of 'tag' are disabled, .* let a superuser run: alter table "[^"]+"\."tag" enable trigger all;/,
    )
    succeeded(await target.admin(['doctor', '--repair']))
    assert.equal((await into.request('GET', 'models/tag')).json.total, ROWS + 2)
    assert.equal((await into.request('POST', 'models/tag', { data: { name: 'violet' } })).json.data.id, 41)

    // Another program takes ids that the sequence would give next.
    await database.query(
      sql`insert into ${tag} (id, name) overriding system value select n, 'taken' from generate_series(42, 999) n`,
    )
    const creates = await Promise.all(['a', 'b', 'c'].map((name) => into.request('POST', 'models/tag', { data: { name } })))
    assert.deepEqual(
      creates.map(({ status, json }) => [status, json.data.id > 999]),
      creates.map(() => [201, true]),
    )
    await database.query(
      sql`insert into ${tag} (id, name) overriding system value select n, 'taken' from generate_series(1020, 2999) n`,
    )
    const rows = Array.from({ length: 30 }, (_, index) => ({ name: `bulk ${index}` }))
    assert.equal((await into.request('POST', 'models/tag/bulk', { records: rows })).status, 201)
    assert.deepEqual(await failedChecks(target), [])

    // While another transaction writes the table, its sequence cannot be moved.
    await database.query(
      sql`insert into ${tag} (id, name) overriding system value select n, 'taken' from generate_series(4000, 4999) n`,
    )
    await database.query(sql`select setval(pg_get_serial_sequence(${`"${target.schema}"."tag"`}, 'id'), 4000)`)
    const create = () => into.request('POST', 'models/tag', { data: { name: 'soon' } })
    await database.transaction(async (connection) => {
      await connection.query(sql`insert into ${tag} (id, name) overriding system value values (5000, 'taken')`)
      const { status, json } = await create()
      assert.deepEqual([status, json.error], [503, 'Storage unavailable'])
      assert.match(json.details ?? '', /^The ids of 'tag' that other programs have given are passed when/)
    })
    assert.equal((await create()).json.data.id, 5001)
  })

  test('are compared when the tables are as the models define', options, async () => {
    await using project = await databaseProject(FILES)
    assert.doesNotMatch((await project.admin(['doctor'])).stdout, /compared/)
    succeeded(await project.admin(['users', 'add', 'root', '--email', 'r@example.com', '--superuser', '--password-stdin']))
    await (await sharedDatabase()).query(
      sql`alter table ${identifier(project.schema, 'note')} alter column "title" drop not null`,
    )
    assert.match(
      (await project.admin(['doctor'])).stdout,
      /rows +the totals, ids and words .* once the tables are as the models define/,
    )
  })
})
