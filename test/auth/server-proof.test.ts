import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, test } from 'node:test'
import { ServerProof } from '../../src/auth/secret.ts'
import { systemRandom } from '../../src/util/ids.ts'

const SECRET = 'a secret of more than thirty-two bytes'
const PORT = 8000

describe('the proof of a server', () => {
  const proof = new ServerProof(SECRET)
  const challenge = proof.challenge(PORT, systemRandom)
  const answer = new ServerProof(SECRET).answer(challenge, PORT) ?? ''

  test('is accepted from a server with the same secret', () => {
    assert.ok(proof.isAnswer(answer, challenge, PORT), 'the right answer is refused')
    const stranger = new ServerProof(`${SECRET}!`)
    assert.equal(stranger.answer(challenge, PORT), undefined)
    const [nonce = ''] = challenge.split('.')
    const guesses = [
      stranger.answer(
        stranger.challenge(PORT, () => Buffer.from(nonce, 'base64url')),
        PORT,
      ) ?? '',
    ]
    for (const guess of [...guesses, '', challenge, challenge.split('.')[1] ?? '', `${answer}=`]) {
      assert.equal(proof.isAnswer(guess, challenge, PORT), false, guess)
    }
  })

  test('is valid for one challenge and one port', () => {
    assert.equal(proof.isAnswer(answer, proof.challenge(PORT, systemRandom), PORT), false)
    assert.equal(proof.isAnswer(answer, challenge, PORT + 1), false)
    assert.equal(proof.answer(challenge, PORT + 1), undefined)
  })

  test('requires a challenge made with the secret, and signs nothing else', () => {
    const header = Buffer.from('{"alg":"HS256"}').toString('base64url')
    for (const text of ['', '.', 'nonce', 'nonce.', `nonce.${answer}`, `${header}.e30`]) {
      assert.equal(proof.answer(text, PORT), undefined, text)
    }
    const [nonce = ''] = challenge.split('.')
    const direct = createHmac('sha256', SECRET).update(`answer ${PORT} ${nonce}`).digest('base64url')
    assert.notEqual(answer, direct)
  })
})
