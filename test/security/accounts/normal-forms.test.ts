import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { play, type Scenario, send } from '../../helpers/api/scenario.ts'
import { USER_MODEL } from '../../helpers/user-model.ts'
import { fieldErrors } from '../../http/records/expected.ts'
import { login, tryLogin, withApp } from '../access.ts'

/** The same word in its two canonical forms, and with a letter of a compatibility form. */
const FORMS = ['cr\u00e8me-br\u00fbl\u00e9e', 'cre\u0300me-bru\u0302le\u0301e', 'cr\u00e8me-br\u00fbl\u00e9\uff45'] as const
const [COMPOSED, DECOMPOSED] = FORMS

const PATH = '/api/v1/models/user'
const create = (username: string, password: string): Omit<Scenario, 'name' | 'status'> => ({
  request: `POST ${PATH}`,
  body: { data: { username, email: `${Buffer.from(username).toString('hex')}@example.org`, password } },
})

describe('a password', () => {
  for (const [index, set] of FORMS.entries()) {
    test(`that was set in form ${index + 1} is accepted in every form`, () =>
      withApp(async (app) => {
        await play(app, { ...create('chef', set), status: 201 })
        for (const typed of FORMS) await login(app, { username: 'chef', password: typed })
        assert.equal((await tryLogin(app, { username: 'chef', password: 'creme-brulee' })).status, 401)
        const change = { current_password: FORMS[(index + 1) % 3], new_password: 'p\u0301ain-perdu' }
        await play(app, { request: 'POST /api/v1/auth/password', as: 'chef', body: change, status: 200 })
        await login(app, { username: 'chef', password: '\u1e55ain-perdu' })
      }))
  }

  test('that was hashed as it was typed, by an earlier version, is accepted as it is typed', () =>
    withApp(
      async (app) => {
        await play(app, { ...create('chef', 'a-long-password'), status: 201 })
        await login(app, { username: 'chef', password: DECOMPOSED })
        assert.equal((await tryLogin(app, { username: 'chef', password: COMPOSED })).status, 401)
      },
      {
        // What was stored before: the hash of the text as it was typed.
        hasher: { hash: async () => DECOMPOSED, verify: async (stored, password) => stored === password },
      },
    ))

  test('has the length of its normal form', () =>
    withApp(async (app) => {
      const seven = 'e\u0301'.repeat(7)
      const expect = fieldErrors({ password: ['password must be at least 8 characters long'] })
      await play(app, { ...create('chef', seven), status: 400, expect })
    }))
})

describe('a username with accents', () => {
  const files = {
    'models/user.yaml': USER_MODEL,
    'seed/user.yaml': '- { username: admin, email: a@example.org, password: a-long-password, is_superuser: true }\n',
  }

  test('is found in its other form', () =>
    withApp(
      async (app) => {
        await play(app, { ...create(COMPOSED, 'a-long-password'), status: 201 })
        for (const username of [COMPOSED, DECOMPOSED]) await login(app, { username, password: 'a-long-password' })
        await play(app, { ...create(DECOMPOSED, 'another-password'), status: 201 })
        await login(app, { username: DECOMPOSED, password: 'another-password' })
        await login(app, { username: COMPOSED, password: 'a-long-password' })
      },
      { files },
    ))

  test('is locked in all forms by failures in any of them', () =>
    withApp(
      async (app) => {
        await play(app, { ...create(COMPOSED, 'a-long-password'), status: 201 })
        for (let attempt = 0; attempt < 5; attempt++) {
          const username = attempt % 2 === 0 ? COMPOSED : DECOMPOSED
          assert.equal((await tryLogin(app, { username, password: 'wrong' })).status, 401)
        }
        for (const username of [COMPOSED, DECOMPOSED]) {
          assert.equal((await tryLogin(app, { username, password: 'a-long-password' })).status, 401)
        }
        app.advance(1000)
        await login(app, { username: DECOMPOSED, password: 'a-long-password' })
        assert.equal((await send(app, { request: `GET ${PATH}` })).status, 200)
      },
      { files },
    ))
})
