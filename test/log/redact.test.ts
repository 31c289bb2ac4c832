import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createLog } from '../../src/log/create-log.ts'
import { describeError, REDACTED, redactText } from '../../src/log/redact.ts'
import { assertNoSecrets } from '../helpers/secrets.ts'

const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLW9mLXRoaXM'
const HASH = '$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaGhhc2g'

describe('redacting a text', () => {
  const rows: readonly (readonly [text: string, secret: string])[] = [
    [`Bearer ${TOKEN} is no good`, TOKEN],
    [`token ${TOKEN}`, TOKEN],
    [`cut short: ${TOKEN.slice(0, 30)}`, TOKEN.slice(0, 30)],
    [`stored ${HASH}`, HASH],
    ['signed with whsec_AAECAwQFBgcICQoLDA0ODw==', 'AAECAwQFBgcICQoLDA0ODw'],
    ['authorization: Basic YWRtaW46cGFzc3dvcmQ=', 'YWRtaW46cGFzc3dvcmQ='],
    ["{ cookie: 'session=4f6b2c; other=5' }", '4f6b2c'],
    ['Set-Cookie: a=0123456789; HttpOnly', '0123456789'],
    ['Unexpected end of JSON input: {"username":"ann","password":"hunter2 with spaces', 'hunter2 with spaces'],
    ['{"password":"hunter\\"2"}', 'hunter'],
    ['body {\\"password\\": \\"hunter2\\"}', 'hunter2'],
    ["{ password: 'hunter2', name: 'ann' }", 'hunter2'],
    ['username=ann&password=hunter2&grant_type=password', 'hunter2'],
    ['refresh_token=0123456789', '0123456789'],
    ['secret_key: 0123456789abcdef', '0123456789abcdef'],
    ['connect to postgres://shop:hunter2@db:5432/shop failed', 'hunter2'],
    ['url=postgresql://shop:p@ss/w:rd@db/shop', 'p@ss/w:rd'],
    ['mysql://shop:hunter2#1@db/shop', 'hunter2#1'],
    ['postgres://shop:1234/x@db/shop', '1234/x'],
    ['postgres://db/shop?user=shop&password=hunter2', 'hunter2'],
  ]
  for (const [text, secret] of rows) {
    test(text.slice(0, 60), () => {
      const clean = redactText(text)
      assert.ok(!clean.includes(secret), clean)
      assert.ok(clean.includes(REDACTED), clean)
    })
  }

  test('does not change texts that only mention secrets', () => {
    for (const text of [
      'at tokenIn (file:///srv/dist/http/authentication.js:26:9)',
      'The password of a user is at least 8 characters long',
      'make one: admin users add NAME --password-stdin',
      'GET /api/v1/auth/token 200',
      'request eyJhbGciOiJIUzI1NiJ9AB failed',
      'Data in postgres://shop@db:5432/shop, schema admin',
      'POST https://hooks.example.com:8443/in?to=ann@example.com 200',
    ]) {
      assert.equal(redactText(text), text)
    }
  })

  test('takes linear time for any text', () => {
    for (const piece of ['token', 'password ', 'eyJ.', 'cookie', '\\"', 'Bearer ', '://a:', 'x://', '://a:b@']) {
      const started = performance.now()
      redactText(piece.repeat(1_000_000))
      const took = performance.now() - started
      // Quadratic time would be hours.
      assert.ok(took < 10_000, `${piece} took ${took} ms`)
    }
  })
})

describe('describing an error', () => {
  test('returns message, stack and causes, and no other properties', () => {
    const error = Object.assign(new TypeError('no', { cause: Object.assign(new Error('disk'), { code: 'ENOSPC' }) }), {
      headers: { authorization: `Bearer ${TOKEN}` },
      payload: { password: 'hunter2' },
    })
    const described = describeError(error)
    assert.deepEqual(Object.keys(described), ['type', 'message', 'stack', 'cause'])
    assert.equal(described.cause?.code, 'ENOSPC')
    assert.doesNotMatch(JSON.stringify(described), /hunter2|eyJ/)
  })

  test('ends for an error that causes itself, and accepts any thrown value', () => {
    const error = new Error('round')
    error.cause = error
    assert.ok(JSON.stringify(describeError(error)).length < 20_000, 'the causes do not end')
    assert.deepEqual(describeError(`secret=${TOKEN}`), { type: 'string', message: REDACTED })
    assert.deepEqual(describeError(null), { type: 'object', message: 'null' })
  })
})

test('fields with the names of secrets are redacted, whatever their value', () => {
  const lines: string[] = []
  const log = createLog((line) => lines.push(line), { level: 'info', format: 'json' })
  const fields = { authorization: 'x1', cookie: 'x2', password: 'x3', secret: 'x4', token: 'x5', refresh_token: 'x6' }
  log.info('.', { ...fields, headers: { ...fields, 'set-cookie': 'x7' } })
  log.info(`Bearer ${TOKEN}`, { username: `${TOKEN}` })
  assert.doesNotMatch(lines.join(''), /x\d/)
  assertNoSecrets(lines, [TOKEN])
  assert.equal(lines[0]?.split(REDACTED).length, 14)
})
