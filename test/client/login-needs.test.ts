import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type AdminError, createClient, memoryStorage } from '../../src/client/client.ts'

/** A request as the double of the server receives it. */
interface Sent {
  readonly path: string
  readonly body: unknown
}

/** A client of a double that answers by path, and what it was sent. */
function doubled(answers: Readonly<Record<string, () => Response>>, session: { readonly session?: 'cookie' } = {}) {
  const sent: Sent[] = []
  const answering: typeof fetch = async (input, init) => {
    const path = new URL(String(input)).pathname.replace('/api/v1', '')
    sent.push({ path, body: init?.body === undefined ? undefined : JSON.parse(String(init.body)) })
    return answers[path]?.() ?? Response.json({ error: 'Not found' }, { status: 404 })
  }
  const storage = memoryStorage({ access_token: 'old', refresh_token: 'refresh' })
  const client = createClient({ url: 'http://admin.test', fetch: answering, ...(session.session ? session : { storage }) })
  return { client, sent, storage }
}

const failureOf = (call: Promise<unknown>): Promise<AdminError> =>
  call.then(
    () => assert.fail('succeeded'),
    (error) => error as AdminError,
  )

describe('what the server wants of a login', () => {
  const missing = { error: 'Unauthenticated', details: ['The code is wrong'], second_factor: { methods: ['totp', 'recovery'] } }

  test('a missing or wrong code is told with the message of the server', async () => {
    const { client, sent } = doubled({ '/auth/token': () => Response.json(missing, { status: 401 }) })
    const error = await failureOf(client.login('ann', 'a-password', '123456'))
    assert.deepEqual(error.secondFactor, { methods: ['totp', 'recovery'] })
    assert.equal(error.message, 'The code is wrong')
    assert.deepEqual(sent, [{ path: '/auth/token', body: { username: 'ann', password: 'a-password', otp: '123456' } }])
  })

  test('any other refusal of a login says what may be wrong', async () => {
    const { client } = doubled({ '/auth/token': () => Response.json({ error: 'Unauthenticated' }, { status: 401 }) })
    const error = await failureOf(client.login('ann', 'wrong'))
    assert.equal(error.secondFactor, undefined)
    assert.match(error.message, /username or the password is wrong/)
  })

  test('a second factor that has to be set up is told, also in an error with titles', async () => {
    const body = { error: 'Forbidden', details: { name: ['x'] }, second_factor: { enrol: true } }
    const { client } = doubled({ '/webhooks': () => Response.json(body, { status: 403 }) })
    const error = await failureOf(client.request('/webhooks'))
    assert.deepEqual([error.type, error.secondFactor?.enrol], ['permission', true])
    assert.deepEqual(error.titled(() => 'Name').secondFactor, { enrol: true })
    assert.equal(error.titled(() => 'Name').status, 403)
  })

  test('no token is renewed where a newer login is wanted', async () => {
    const headers = { 'WWW-Authenticate': 'Bearer error="insufficient_user_authentication", max_age=600' }
    const answer = () => Response.json({ error: 'insufficient_user_authentication' }, { status: 401, headers })
    const { client, sent } = doubled({ '/auth/keys': answer })
    const error = await failureOf(client.request('/auth/keys', { method: 'POST', body: {} }))
    assert.equal(error.summary, 'insufficient_user_authentication')
    assert.deepEqual(
      sent.map(({ path }) => path),
      ['/auth/keys'],
    )
  })

  test('a login at a provider ends with a session in a cookie, and with the page to go to', async () => {
    const grant = { access_token: 'new', token_type: 'bearer', expires_in: 60, to: '/models/post' }
    const { client, sent } = doubled({ '/auth/oidc/finish': () => Response.json(grant) }, { session: 'cookie' })
    assert.equal((await client.finishSignIn('123456')).to, '/models/post')
    assert.deepEqual(sent, [{ path: '/auth/oidc/finish', body: { otp: '123456', refresh: 'cookie' } }])
    assert.equal(await client.hasToken(), true)
    assert.equal(sent.length, 1)
  })
})
