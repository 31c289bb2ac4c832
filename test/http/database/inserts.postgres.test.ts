import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { identifier, sql } from '../../../src/store/postgres/sql.ts'
import { NO_POSTGRES } from '../../helpers/postgres/server.ts'
import { openTwoApps } from '../../helpers/postgres/two-apps.ts'

const FILES = {
  'models/post.yaml': `
name: Post
timestamps: true
access: { view: public, add: public, change: public }
fields:
  - { name: title, type: string, required: true }
  - { name: state, type: choice, choices: [new, old], required: true, default: new }
  - { name: stars, type: integer, default: 3 }
  - { name: code, type: string, max_length: 9, unique: true }
`,
}

const options = NO_POSTGRES === undefined ? {} : { skip: NO_POSTGRES }

describe('rows that another program inserts with the mandatory fields only', options, () => {
  test('are records with defaults: read, counted, filtered, searched and changed', async () => {
    await using apps = await openTwoApps({ files: FILES })
    const { a, b, database, schema } = apps
    const first = await a.send('POST', 'models/post', { body: { data: { title: 'first' } } })
    assert.equal(first.status, 201, JSON.stringify(first.json))
    await database.query(sql`insert into ${identifier(schema, 'post')} ("title") values ('lighthouse')`)
    const { json } = await b.send('GET', 'models/post/2')
    const { created_at: created, updated_at: updated, ...rest } = json.data
    assert.deepEqual(rest, { id: 2, title: 'lighthouse', state: 'new', stars: 3, code: null })
    assert.match(created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.equal(updated, created)
    const list = await a.send('GET', 'models/post?filters=state=new&filters=stars=3&sort_by=updated_at')
    assert.deepEqual([list.json.total, list.json.data.length], [2, 2])
    assert.equal((await b.send('GET', 'models/post/search?q=lighthouse')).json.total, 1)
    assert.equal((await b.send('PUT', 'models/post/2', { body: { data: { state: 'old' } } })).status, 200)
    const next = await a.send('POST', 'models/post', { body: { data: { title: 'next' } } })
    assert.equal(next.json.data.id, 3)
  })

  test('are inserted or updated by merge, since unique constraints are checked at the end', async () => {
    await using apps = await openTwoApps({ files: FILES })
    const { a, database, schema } = apps
    const table = identifier(schema, 'post')
    const { rows: version } = await database.query(sql`select current_setting('server_version_num')`)
    const conflict = sql`insert into ${table} ("title", "code") values ('one', 'a') on conflict ("code") do nothing`
    await assert.rejects(database.query(conflict), /deferrable/)
    if (Number(version[0]?.[0]) < 150_000) return
    const merge = (
      title: string,
    ) => sql`merge into ${table} "p" using (values ('a', ${title})) "n" ("code", "title") on "p"."code" = "n"."code"
        when matched then update set "title" = "n"."title"
        when not matched then insert ("code", "title") values ("n"."code", "n"."title")`
    await database.query(merge('one'))
    await database.query(merge('two'))
    const { json } = await a.send('GET', 'models/post')
    assert.deepEqual([json.total, json.data[0].title, json.data[0].state], [1, 'two', 'new'])
    assert.equal((await a.send('GET', 'models/post/search?q=two')).json.total, 1)
  })

  test('while a record that is created with null has no value, alone and among many', async () => {
    await using apps = await openTwoApps({ files: FILES })
    const { a, b } = apps
    const data = { title: 'none', stars: null }
    const one = await a.send('POST', 'models/post', { body: { data } })
    assert.equal(one.json.data.stars, null, JSON.stringify(one.json))
    const items = Array.from({ length: 30 }, () => data)
    const many = await a.send('POST', 'models/post/bulk', { body: { records: items } })
    assert.equal(many.status, 201, JSON.stringify(many.json))
    assert.equal((await b.send('GET', 'models/post?filters=stars__isnull=true')).json.total, 31)
  })
})
