import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Sealer } from '../../src/auth/sealing.ts'
import { systemRandom } from '../../src/util/ids.ts'

const SECRET = 'a secret of 32 bytes or more, of course'
const FORMER = 'a secret that was in use before this one'
const sealer = (secret = SECRET, use = 'test', previous: readonly string[] = []) =>
  new Sealer({ secret, previous }, use, systemRandom)

test('a sealed text opens with the same secret, use and context, and is never sealed in the same way', () => {
  const sealed = sealer().seal('grüße', 'user 1')
  assert.deepEqual(sealer().open(sealed, 'user 1'), { text: 'grüße', isOutdated: false })
  assert.notEqual(sealer().seal('grüße', 'user 1'), sealed)
  assert.doesNotMatch(sealed, /gr/)
})

test('no other secret, use or context opens it', () => {
  const sealed = sealer().seal('text', 'user 1')
  assert.equal(sealer(FORMER).open(sealed, 'user 1'), undefined)
  assert.equal(sealer(SECRET, 'other').open(sealed, 'user 1'), undefined)
  assert.equal(sealer().open(sealed, 'user 2'), undefined)
})

test('a changed text does not open, whichever bit was changed', () => {
  const bytes = Buffer.from(sealer().seal('text', '').slice(3), 'base64url')
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    assert.equal(sealer().open(`v1.${changed.toString('base64url')}`, ''), undefined)
  }
  for (const text of ['', 'v1.', 'v1.AAAA', 'text', `v2.${bytes.toString('base64url')}`])
    assert.equal(sealer().open(text, ''), undefined)
})

test('a former secret opens what it has sealed, as outdated, and seals nothing', () => {
  const old = sealer(FORMER).seal('text', '')
  const both = sealer(SECRET, 'test', ['another former secret, for the order', FORMER])
  assert.deepEqual(both.open(old, ''), { text: 'text', isOutdated: true })
  assert.deepEqual(sealer().open(both.seal('text', ''), ''), { text: 'text', isOutdated: false })
})
