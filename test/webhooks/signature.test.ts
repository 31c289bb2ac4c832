import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { verify as verifyHub } from '@octokit/webhooks-methods'
import { Webhook } from 'standardwebhooks'
import { secretProblem } from '../../src/config/webhook-settings.ts'
import { generateSecret, type Message, signedRequest } from '../../src/webhooks/messages.ts'

interface Vector {
  readonly name: string
  readonly secrets: readonly [string, ...string[]]
  readonly message: Message
  readonly attempted_at: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const vectors = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../fixtures/webhooks/vectors.json'), 'utf8'),
) as readonly Vector[]

/** A secret in the form of the library. */
const libraryOf = (secret: string) => (secret.startsWith('whsec_') ? new Webhook(secret) : new Webhook(secret, { format: 'raw' }))

describe('the published vectors', () => {
  for (const { name, secrets, message, attempted_at: seconds, headers, body } of vectors) {
    test(`${name}: equal the sent request`, () => assert.deepEqual(signedRequest(message, secrets, seconds), { headers, body }))

    test(`${name}: independent libraries compute the same signatures`, async () => {
      const made = secrets.map((secret) => libraryOf(secret).sign(message.id, new Date(seconds * 1000), body))
      assert.equal(headers['webhook-signature'], made.join(' '))
      assert.ok(await verifyHub(secrets[0], body, headers['x-hub-signature-256'] ?? ''), 'the hub signature is wrong')
      assert.ok(
        !(await verifyHub('another secret of some length', body, headers['x-hub-signature-256'] ?? '')),
        'any secret will do',
      )
    })

    test(`${name}: the body has the members of the specification, in order`, () => {
      const payload = JSON.parse(body) as Record<string, unknown>
      assert.deepEqual(Object.keys(payload), ['event', 'model', 'data', 'timestamp', 'signature'])
      assert.equal(JSON.stringify(payload), body, 'the body is not compact')
      assert.deepEqual(payload.data, JSON.parse(message.data))
    })
  }
})

test('the Standard Webhooks library accepts the headers, and rejects them for any other message', () => {
  const [vector] = vectors
  assert.ok(vector !== undefined, 'the vector is missing')
  const now = Math.floor(Date.now() / 1000)
  const { headers, body } = signedRequest(vector.message, vector.secrets, now)
  const receiver = libraryOf(vector.secrets[0])
  assert.doesNotThrow(() => receiver.verify(body, { ...headers }))
  assert.throws(() => receiver.verify(body.replace('Harbour', 'Harbor'), { ...headers }))
  assert.throws(() => receiver.verify(body, { ...headers, 'webhook-id': 'msg_other' }))
  const late = signedRequest(vector.message, vector.secrets, now - 3600)
  assert.throws(() => receiver.verify(late.body, { ...late.headers }), /too old/)
})

test('a generated secret has 32 bytes and is accepted by the Standard Webhooks library', () => {
  const secret = generateSecret((bytes) => Buffer.alloc(bytes, 7))
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.equal(secretProblem(secret), undefined)
  assert.doesNotThrow(() => new Webhook(secret))
})
