import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type App, openApp } from '../../src/app.ts'
import { SYSTEM } from '../../src/auth/permissions.ts'
import { jwtCodec } from '../../src/http/jwt-codec.ts'
import { loadProject } from '../../src/project/project.ts'
import { quickHasher } from '../helpers/api/app.ts'
import { makeProject } from '../helpers/fixture.ts'
import { valuesOf } from '../helpers/values-of.ts'

const CONFIG = 'history: { days: 90 }\nsecret_key: 0123456789abcdef0123456789abcdef0123456789\n'
const MEMO = 'name: Memo\nfields:\n  - { name: body, type: string }\n'
const NOTE = 'name: Note\nwas: Memo\nfields:\n  - { name: text, type: string, was: body }\n'
const NOTE_ALONE = 'name: Note\nfields:\n  - { name: text, type: string }\n'

/** Opens projects with these models one after the other, on the same data. */
async function inTurn(...steps: readonly (readonly [model: string, use: (app: App) => Promise<void>])[]): Promise<void> {
  let data: string | undefined
  const folders = []
  try {
    for (const [model, use] of steps) {
      const folder = await makeProject({ 'admin.config.yaml': CONFIG, 'models/note.yaml': model })
      folders.push(folder)
      data ??= `${folder.path}/data`
      const project = await loadProject({ folder: folder.path, env: {}, flags: { data } })
      const app = await openApp(project, 'write', { tokenCodec: jwtCodec, hasher: quickHasher })
      await use(app).finally(() => app.close())
    }
  } finally {
    for (const folder of folders) await folder.remove()
  }
}

const all = async (app: App, table: string) =>
  (await app.store.find(table, { filters: [], sort: [], offset: 0, limit: 1000 })).records

const codenames = async (app: App, ids: unknown) =>
  (await app.store.get('permission', ids as number[])).map((permission) => permission?.codename)

/** A group that may view and change memos, a memo with a history, and a subscription. */
async function fill(app: App): Promise<void> {
  const permissions = await all(app, 'permission')
  const held = permissions.filter(({ codename }) => ['view_memo', 'change_memo', 'view_user'].includes(String(codename)))
  await app.records.create(SYSTEM, 'group', { data: { name: 'Editors', permissions: held.map(({ id }) => id) } })
  await app.records.create(SYSTEM, 'memo', { data: { body: 'one' } })
  await app.records.update(SYSTEM, 'memo', 1, { data: { body: 'two' } })
  await app.webhooks.subscriptions.create({ url: 'https://hooks.example.com/', models: ['memo', 'user'] })
}

const EXPECTED = ['view_note', 'change_note', 'view_user']

describe('a renamed model', () => {
  test('keeps its permissions, its history and its subscriptions', async () => {
    await inTurn(
      [MEMO, fill],
      [
        NOTE,
        async (app) => {
          const [group] = await all(app, 'group')
          assert.deepEqual((await codenames(app, group?.permissions)).sort(), [...EXPECTED].sort())
          const permissions = await all(app, 'permission')
          assert.deepEqual(
            permissions.filter(({ codename }) => /memo/.test(String(codename))),
            [],
          )
          assert.equal(permissions.find(({ codename }) => codename === 'view_note')?.name, 'Can view note')
          const history = JSON.parse(await app.history.ofRecord(SYSTEM, 'note', '1', 'sort_by=id'))
          assert.deepEqual(valuesOf(history.data, 'model', 'changes'), [
            ['note', { text: { before: null, after: 'one' } }],
            ['note', { text: { before: 'one', after: 'two' } }],
          ])
          assert.deepEqual(valuesOf(app.webhooks.subscriptions.all, 'models'), [['note', 'user']])
          assert.ok(app.webhooks.subscriptions.isSubscribed('note'))
        },
      ],
    )
  })

  test('gives its permissions to their holders also after a start without `was`', async () => {
    await inTurn(
      [MEMO, fill],
      [NOTE_ALONE, async () => {}],
      [
        NOTE,
        async (app) => {
          const [group] = await all(app, 'group')
          assert.deepEqual((await codenames(app, group?.permissions)).sort(), [...EXPECTED].sort())
          const names = (await all(app, 'permission')).map(({ codename }) => codename)
          assert.deepEqual([names.length, new Set(names).size], [20, 20])
        },
      ],
    )
  })
})
