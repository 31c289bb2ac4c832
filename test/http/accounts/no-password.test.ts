import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { play, scenario, scenarios, send } from '../../helpers/api/scenario.ts'
import { fieldErrors, UNAUTHENTICATED } from '../records/expected.ts'

const ci = { username: 'robot', email: 'ci@example.com' }
const PASSWORD = 'a-long-password'

scenarios('a new user', [
  scenario('whose password is not sent misses it', 'POST /api/v1/models/user', 400, {
    body: { data: ci },
    expect: fieldErrors({ password: ['password is mandatory'] }),
  }),
  scenario('with an empty one misses it as well', 'POST /api/v1/models/user', 400, {
    body: { data: { ...ci, password: '' } },
  }),
])

const login = async (app: TestApp, password: string) =>
  send(app, { request: 'POST /api/v1/auth/token', as: null, body: { username: 'robot', password } })

test('a user with the password null cannot log in, until a superuser gives one, and no more when it is taken away', async () => {
  await using app = await openTestApp()
  const { json } = await play(app, {
    request: 'POST /api/v1/models/user',
    body: { data: { ...ci, password: null } },
    status: 201,
  })
  const change = (password: string | null) =>
    play(app, { request: `PUT /api/v1/models/user/${json.data.id}`, body: { data: { password } }, status: 200 })
  for (const wrong of ['null', 'undefined', PASSWORD]) {
    const reply = await login(app, wrong)
    assert.deepEqual([reply.status, reply.json], [401, UNAUTHENTICATED])
  }
  await change(PASSWORD)
  assert.equal((await login(app, PASSWORD)).status, 200)
  await change(null)
  assert.equal((await login(app, PASSWORD)).status, 401)
})
