import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { identifier, sql } from '../../../src/store/postgres/sql.ts'
import { NO_POSTGRES } from '../../helpers/postgres/server.ts'
import { openTwoApps, type TwoApps } from '../../helpers/postgres/two-apps.ts'

const FILES = {
  'models/post.yaml': `
name: Post
timestamps: true
access: { view: public, add: public, change: public }
fields:
  - { name: title, type: string, required: true }
  - { name: note, type: string, index: false }
  - { name: stars, type: integer, index: false }
  - { name: state, type: string, default: new }
`,
}

const RECORDS = 40

const options = NO_POSTGRES === undefined ? {} : { skip: NO_POSTGRES }

/** The updates of the table that the server has counted, and those that changed no index. A session reports its own with what it executes a second later. */
async function updatesOf({ a, database, schema }: TwoApps, expected: number): Promise<readonly [all: number, hot: number]> {
  for (;;) {
    const { rows } = await database.query(
      sql`select "n_tup_upd", "n_tup_hot_upd" from pg_stat_user_tables where "schemaname" = ${schema} and "relname" = 'post'`,
    )
    const [all = 0, hot = 0] = (rows[0] ?? []).map(Number)
    if (all >= expected) return [all, hot]
    await Promise.all([1, 2, 3, 4, 5].map((id) => a.send('GET', `models/post/${id}?fields=id`)))
    await delay(100)
  }
}

describe('updates', options, () => {
  test('of fields without an index change no index, though updated_at changes', async () => {
    await using apps = await openTwoApps({ files: FILES })
    const { a, database, schema } = apps
    // There is room for another version of each row, also while other sessions need the former ones.
    await database.query(sql`alter table ${identifier(schema, 'post')} set (fillfactor = 40)`)
    const records = Array.from({ length: RECORDS }, (_, index) => ({ title: `title ${index}`, stars: 1 }))
    const created = await a.send('POST', 'models/post/bulk', { body: { records } })
    assert.equal(created.status, 201, JSON.stringify(created.json))
    const update = async (data: object) => {
      for (let id = 1; id <= RECORDS; id++) {
        const { status } = await a.send('PUT', `models/post/${id}`, { body: { data } })
        assert.equal(status, 200)
      }
    }
    await update({ note: 'read', stars: 2 })
    assert.deepEqual(await updatesOf(apps, RECORDS), [RECORDS, RECORDS])
    await update({ state: 'old' })
    assert.deepEqual(await updatesOf(apps, 2 * RECORDS), [2 * RECORDS, RECORDS])
    const list = await a.send('GET', 'models/post?filters=note=read&sort_by=updated_at&sort_order=desc')
    assert.deepEqual([list.json.total, list.json.data[0].id], [RECORDS, RECORDS])
  })
})
