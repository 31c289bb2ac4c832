import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { SYSTEM } from '../../../src/auth/permissions.ts'
import type { JsonObject } from '../../../src/util/json.ts'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { type Reply, type Scenario, send } from '../../helpers/api/scenario.ts'
import { UNLIMITED } from './expected.ts'

const files = {
  'models/note.yaml': 'name: Note\nfields:\n  - {name: title, type: string}\n',
  'models/user.yaml': 'extends: user\nfields:\n  - {name: city, type: string}\n',
  'models/letter.yaml': 'name: Letter\naccess: {add: self.city == user.city}\nfields:\n  - {name: city, type: string}\n',
}

const idsOf = async ({ app: { store } }: TestApp, table: string, field: string, values: readonly string[]) => {
  const filters = [{ field, operator: 'in', values }] as const
  const { records } = await store.find(table, { filters, sort: [], offset: 0, limit: 100 })
  return records.map(({ id }) => id)
}

/** Sends a request of a user while another transaction runs, in which the record of the user changes. */
async function sendMeanwhile(
  app: TestApp,
  values: JsonObject,
  request: Pick<Scenario, 'request' | 'body' | 'as'>,
): Promise<Reply> {
  const { store } = app.app
  let release = () => {}
  let running: Promise<void> | undefined = new Promise((resolve) => {
    release = resolve
  })
  Object.defineProperty(store, 'running', { get: () => running })
  const sent = send(app, request)
  for (let turn = 0; turn < 20; turn++) await nextTurn()
  const [id = 0] = await idsOf(app, 'user', 'username', [String(request.as)])
  await store.transact([{ kind: 'update', table: 'user', id, values }])
  running = undefined
  release()
  return sent
}

/** @param rights of the user, beside those to add notes */
async function attempt(
  rights: JsonObject,
  values: JsonObject,
  model: string,
  records?: number,
): Promise<readonly [number, number]> {
  await using app = await openTestApp({ files, settings: UNLIMITED, engine: 'embedded' })
  const permissions = await idsOf(app, 'permission', 'codename', ['add_note', 'add_letter'])
  const account = { username: 'writer', email: 'writer@example.org', password: 'a long enough 7', city: 'Bern' }
  await app.app.records.create(SYSTEM, 'user', { data: { ...account, permissions, ...rights } })
  const data = model === 'letter' ? { city: 'Bern' } : { title: 'Late' }
  const request =
    records === undefined
      ? ({ request: `POST /api/v1/models/${model}`, body: { data } } as const)
      : ({ request: `POST /api/v1/models/${model}/bulk`, body: { records: Array(records).fill(data) } } as const)
  const { status } = await sendMeanwhile(app, values, { ...request, as: 'writer' })
  const { total } = await app.app.store.find(model, { filters: [], sort: [], offset: 0, limit: 1 })
  return [status, total]
}

describe('a write that waits while another transaction changes its user', () => {
  test('is refused if the account was disabled', async () => {
    assert.deepEqual(await attempt({}, { is_active: false }, 'note'), [401, 0])
    assert.deepEqual(await attempt({}, { is_active: false }, 'note', 200), [401, 0])
  })
  test('is refused if a permission was taken away', async () => {
    assert.deepEqual(await attempt({}, { permissions: [] }, 'note'), [409, 0])
  })
  test('is refused if the user is no longer a superuser', async () => {
    assert.deepEqual(await attempt({ is_superuser: true }, { is_superuser: false }, 'note'), [409, 0])
  })
  test('is refused if a field of the user has changed that conditions of access may name', async () => {
    assert.deepEqual(await attempt({}, { city: 'Basel' }, 'letter'), [409, 0])
  })
  test('is committed if the rights are the same', async () => {
    assert.deepEqual(await attempt({}, { last_login: '2026-01-15T12:00:00.000Z' }, 'letter'), [201, 1])
  })
})
