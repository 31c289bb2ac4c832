import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { UploadDeadline } from '../../../src/http/body-deadlines.ts'

const LIMITS = { uploadSilence: 30_000, uploadPeriod: 60_000, uploadRate: 16_384 }
const SECOND = 1000

/** When an upload is cut that sends `bytesAt(second)` each second, in seconds; undefined if it is not within `seconds`. */
function cutAt(seconds: number, bytesAt: (second: number) => number, isBehind: (second: number) => boolean = () => false) {
  const deadline = new UploadDeadline(LIMITS, 0, 0)
  let bytes = 0
  for (let second = 1; second <= seconds; second++) {
    bytes += bytesAt(second)
    if (second % 2 === 0 && deadline.isOver(second * SECOND, bytes, isBehind(second))) return second
  }
  return undefined
}

describe('an upload', () => {
  for (const [name, seconds, bytesAt, cut] of [
    ['that sends nothing is cut after 30 seconds', 100, () => 0, 32],
    ['that falls silent is cut 30 seconds later', 100, (second) => (second <= 20 ? 100_000 : 0), 52],
    ['that sends a byte a second is cut after a minute', 900, () => 1, 60],
    ['that sends 16 KiB a second is never cut', 7200, () => 16_384, undefined],
    ['that sends a little less is cut after a minute', 7200, () => 16_000, 60],
    ['that sends 1 MB every 29 seconds is never cut', 7200, (second) => (second % 29 === 0 ? 1_000_000 : 0), undefined],
    ['that was fast and becomes slow is cut a minute later', 900, (second) => (second <= 300 ? 1_000_000 : 10), 360],
  ] as const satisfies readonly (readonly [string, number, (second: number) => number, number | undefined])[]) {
    test(name, () => assert.equal(cutAt(seconds, bytesAt), cut))
  }

  test('is not cut while the server has bytes that it has not taken', () => {
    assert.equal(
      cutAt(
        900,
        () => 0,
        () => true,
      ),
      undefined,
    )
    assert.equal(
      cutAt(
        900,
        (second) => (second > 300 ? 1 : 0),
        (second) => second < 300,
      ),
      358,
    )
  })
})
