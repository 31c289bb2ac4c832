import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type QuotaReservation, UploadQuota } from '../../src/files/upload-quota.ts'

const MOST = 1000

/** A quota of 1,000 bytes, and the registered bytes of users. */
function quotaOf(registered: Record<number, number> = {}, count?: (userId: number) => Promise<number>) {
  const quota = new UploadQuota(MOST, count ?? (async (userId) => registered[userId] ?? 0))
  /** Registers an upload of a size. */
  const upload = (userId: number | undefined, size: number, reserved = size): Promise<void> =>
    quota.run(userId, reserved, async (reservation) => register(reservation, size))
  const register = async (reservation: QuotaReservation, size: number) => {
    await quota.check(reservation, size)
    // What the store needs for the transaction.
    await null
    const { userId } = reservation
    if (userId !== undefined) registered[userId] = (registered[userId] ?? 0) + size
    quota.registered(reservation, size)
  }
  return { quota, upload, register, registered }
}

const statuses = async (uploads: readonly Promise<unknown>[]) => (await Promise.allSettled(uploads)).map(({ status }) => status)

describe('the quota of uploads that no record has', () => {
  test('counts what is registered, by user', async () => {
    const { upload } = quotaOf({ 1: 400 })
    await assert.rejects(upload(1, 601), { code: 'UPLOAD_QUOTA', message: /more than 1000 bytes/ })
    await upload(1, 600)
    await assert.rejects(upload(1, 1), { code: 'UPLOAD_QUOTA' })
    await upload(2, MOST)
  })

  test('counts uploads at the same time, whose sizes are known or not', async () => {
    for (const reserved of [400, 0]) {
      const { upload, registered } = quotaOf()
      const uploads = Array.from({ length: 4 }, () => upload(1, 400, reserved))
      assert.deepEqual(await statuses(uploads), ['fulfilled', 'fulfilled', 'rejected', 'rejected'])
      assert.deepEqual(registered, { 1: 800 })
    }
  })

  test('judges a body of unknown length beside one that was announced meanwhile', async () => {
    const { quota, register, upload, registered } = quotaOf()
    await quota.run(1, 0, async (unknown) => {
      const announced = upload(1, 700)
      await assert.rejects(register(unknown, 700), { code: 'UPLOAD_QUOTA' })
      await announced
    })
    assert.deepEqual(registered, { 1: 700 })
  })

  test('is not refused because of a later upload, or of one that was registered meanwhile', async () => {
    const { quota, register, upload, registered } = quotaOf()
    await quota.run(1, 600, async (first) => {
      await assert.rejects(upload(1, 600), { code: 'UPLOAD_QUOTA' })
      const later = upload(1, 600)
      later.catch(() => {})
      await register(first, 600)
      await assert.rejects(later, { code: 'UPLOAD_QUOTA' })
    })
    assert.deepEqual(registered, { 1: 600 })
    let meanwhile = async () => {}
    const twice = quotaOf(registered, async () => {
      await meanwhile()
      return registered[1] ?? 0
    })
    await twice.quota.run(1, 200, async (first) => {
      meanwhile = async () => {
        meanwhile = async () => {}
        await twice.register(first, 200)
      }
      await twice.upload(1, 200)
    })
    assert.equal(registered[1], MOST)
  })

  test('has room again when an upload has failed', async () => {
    const { quota, upload } = quotaOf()
    const failing = quota.run(1, MOST, () => Promise.reject(new Error('ended early')))
    await assert.rejects(failing, /ended early/)
    await upload(1, MOST)
  })

  test('is none for the shell and the system', async () => {
    const { upload } = quotaOf({}, () => assert.fail('it is not asked for'))
    await upload(undefined, 2 * MOST)
  })
})
