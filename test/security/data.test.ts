import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTestApp, type TestApp } from '../helpers/api/app.ts'
import { play, send } from '../helpers/api/scenario.ts'
import { appTest } from './access.ts'

const SNAPSHOTS = '/api/v1/snapshots'
const ALL = [
  `GET ${SNAPSHOTS}`,
  `POST ${SNAPSHOTS}`,
  `POST ${SNAPSHOTS}/x/load`,
  `DELETE ${SNAPSHOTS}/x`,
  'POST /api/v1/reset',
] as const
const NOT_NAMES = ['../x', '..', '.x', 'a/b', '/tmp/x', 'a\\b', 'a\nb', 'x\u0000', 'x'.repeat(101)] as const

const bodyOf = (request: string) => (request === `POST ${SNAPSHOTS}` ? { body: { name: 'x' } } : {})

/** Nothing was made, and nothing lost. */
async function assertUntouched(app: TestApp): Promise<void> {
  assert.equal(existsSync(join(app.folder.path, 'data/snapshots')), false)
  assert.equal((await app.app.store.status()).records.get('tag'), 12)
}

appTest('copies of the data and a new beginning are for superusers alone', async (app) => {
  for (const request of ALL) {
    await play(app, { request, ...bodyOf(request), as: null, status: 401 })
    for (const as of ['newcomer', 'anna.lind']) await play(app, { request, ...bodyOf(request), as, status: 403 })
  }
  await assertUntouched(app)
})

appTest('no name leads out of the folder of copies', async (app) => {
  for (const name of NOT_NAMES) {
    await play(app, { request: `POST ${SNAPSHOTS}`, body: { name, force: true }, status: 400 })
    const { status } = await send(app, { request: `POST ${SNAPSHOTS}/${encodeURIComponent(name)}/load` })
    // A URL of two dots is another path before anybody sees it.
    assert.ok(status === 400 || (name === '..' && status === 404), `${JSON.stringify(name)}: ${status}`)
  }
  await assertUntouched(app)
})

appTest('an invalid body, or one with further members, changes nothing', async (app) => {
  for (const body of [{ seed_data: 'no' }, { seeds: true }, [], 'all', 1]) {
    await play(app, { request: 'POST /api/v1/reset', body, status: 400 })
  }
  await play(app, { request: 'POST /api/v1/reset?seed_data=true', status: 400 })
  await assertUntouched(app)
})

test('they count for the user', async () => {
  await using app = await openTestApp({ settings: { rate_limits: { default: 2, auth: 5, upload: 10 } } })
  for (let call = 0; call < 2; call++) await play(app, { request: `GET ${SNAPSHOTS}`, status: 200 })
  for (const request of ALL) {
    await play(app, { request, ...bodyOf(request), status: 429, expectHeaders: { 'retry-after': /^\d+$/ } })
  }
  await assertUntouched(app)
})
