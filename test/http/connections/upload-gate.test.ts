import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { UploadGate } from '../../../src/http/upload-gate.ts'

/** Uploads that run until they are ended. */
function uploads(gate: UploadGate) {
  const ends: (() => void)[] = []
  const begin = (userId: number | undefined) =>
    gate.run(userId, () => new Promise<string>((resolve) => ends.push(() => resolve('received'))))
  return { begin, end: () => ends.shift()?.() }
}

describe('uploads at a time', () => {
  test('are four by user by default, and 32 in all', async () => {
    const { begin, end } = uploads(new UploadGate())
    const running = Array.from({ length: 32 }, (_, index) => begin(index % 8))
    await assert.rejects(begin(0), { code: 'RATE_LIMITED', retryAfter: 5, message: /At most 4 uploads of a user/ })
    await assert.rejects(begin(8), { code: 'UPLOADS_BUSY', status: 503, retryAfter: 5 })
    await assert.rejects(begin(undefined), { code: 'UPLOADS_BUSY' })
    end()
    assert.equal(await running[0], 'received')
    const next = begin(0)
    await assert.rejects(begin(8), { code: 'UPLOADS_BUSY' })
    for (let count = 0; count < 32; count++) end()
    await Promise.all([...running, next])
    const last = begin(8)
    end()
    assert.equal(await last, 'received')
  })

  test('count no more once they have failed', async () => {
    const gate = new UploadGate({ ofUser: 1, ofAll: 1 })
    for (let count = 0; count < 3; count++) {
      await assert.rejects(
        gate.run(1, () => {
          throw new Error('failed')
        }),
        { message: 'failed' },
      )
    }
    assert.equal(await gate.run(1, () => 'received'), 'received')
  })
})
