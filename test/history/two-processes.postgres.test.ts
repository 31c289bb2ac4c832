import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { type App, openApp } from '../../src/app.ts'
import { SHELL } from '../../src/auth/permissions.ts'
import { pruneHistory } from '../../src/history/history-pruning.ts'
import { HISTORY } from '../../src/history/history-recorder.ts'
import { jwtCodec } from '../../src/http/jwt-codec.ts'
import { loadProject } from '../../src/project/project.ts'
import type { JsonObject } from '../../src/util/json.ts'
import { EVENTS } from '../../src/webhooks/models.ts'
import { prune } from '../../src/webhooks/pruning.ts'
import { quickHasher } from '../helpers/api/app.ts'
import { databaseProject } from '../helpers/postgres/cli-project.ts'
import { NO_POSTGRES } from '../helpers/postgres/server.ts'
import { testsOf } from '../helpers/tests-of.ts'
import { valuesOf } from '../helpers/values-of.ts'

const NOW = Date.parse('2026-03-01T00:00:00.000Z')
const OLD = '2026-01-01T00:00:00.000Z'
const YOUNG = '2026-02-28T00:00:00.000Z'

const FILES = {
  'admin.config.yaml': 'history: { days: 30 }\n',
  'models/tag.yaml': 'name: Tag\nlabel: Tags\nfields: [{ name: name, type: string, required: true }]\n',
}

async function withTwoApps(body: (one: App, other: App) => Promise<void>): Promise<void> {
  const project = await databaseProject(FILES)
  const apps: App[] = []
  try {
    const open = async () => {
      const loaded = await loadProject({ folder: project.folder.path, env: project.env, flags: {} })
      const app = await openApp(loaded, 'write', { tokenCodec: jwtCodec, hasher: quickHasher, clock: () => NOW })
      apps.push(app)
      return app
    }
    await body(await open(), await open())
  } finally {
    for (const app of apps) await app.close()
    await project.remove()
  }
}

const twoAppsTest = testsOf(withTwoApps)

async function add(app: App, table: string, count: number, values: JsonObject): Promise<void> {
  const insert = { kind: 'insert', table, values } as const
  const outcome = await app.records.commitInternal(Array.from({ length: count }, () => insert))
  assert.ok(outcome.ok, JSON.stringify(outcome))
}

const totalOf = async ({ store }: App, table: string): Promise<number> =>
  (await store.find(table, { filters: [], sort: [], offset: 0, limit: 1 })).total

describe('history and events of two processes', { skip: NO_POSTGRES }, () => {
  twoAppsTest('entries of each process are read in the other', async (one, other) => {
    const created = await one.records.create(SHELL, 'tag', { data: { name: 'a' } })
    await other.records.update(SHELL, 'tag', created.id, { data: { name: 'b' } })
    for (const { store } of [one, other]) {
      const { records } = await store.find(HISTORY, {
        filters: [{ field: 'model', operator: 'eq', value: 'tag' }],
        sort: [{ field: 'id', order: 'asc' }],
        offset: 0,
        limit: 10,
      })
      assert.deepEqual(valuesOf(records, 'action', 'record_id'), [
        ['create', created.id],
        ['update', created.id],
      ])
    }
  })

  twoAppsTest('two processes that prune the history at once remove what is old, and nothing else', async (one, other) => {
    const before = await totalOf(one, HISTORY)
    const entry = { model: 'tag', record_id: 1, action: 'create', via: 'api', changes: {} }
    await add(one, HISTORY, 1200, { ...entry, at: OLD })
    await add(one, HISTORY, 7, { ...entry, at: YOUNG })
    assert.equal(await totalOf(other, HISTORY), before + 1207)
    const pruneIn = ({ store, records }: App) => pruneHistory({ store, records, clock: () => NOW }, 30)
    await Promise.all([pruneIn(one), pruneIn(other)])
    assert.equal(await totalOf(one, HISTORY), before + 7)
  })

  twoAppsTest('two processes that prune delivered events at once remove what is old, and nothing else', async (one, other) => {
    const event = { event: 'create', model: 'tag', record_id: 1, data: '{}' }
    await add(one, EVENTS, 1200, { ...event, message_id: 'old', timestamp: OLD, pending: [] })
    await add(one, EVENTS, 7, { ...event, message_id: 'young', timestamp: new Date(NOW).toISOString(), pending: [] })
    const pruneIn = ({ store, records }: App) => prune({ store, records, clock: () => NOW }, { deliveries: 10_000, days: 30 })
    await Promise.all([pruneIn(one), pruneIn(other)])
    // A run that meets the other one leaves the rest to the next.
    await pruneIn(one)
    assert.equal(await totalOf(one, EVENTS), 7)
  })
})
