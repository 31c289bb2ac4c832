import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULTS } from '../../src/config/settings.ts'
import { parseRetryAfter, RetrySchedule } from '../../src/webhooks/retries.ts'

const always = (share: number) => (bytes: number) => {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUInt32BE(Math.floor(share * (2 ** 32 - 1)))
  return buffer
}

test('retries are made after 5 s, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, and then no more', () => {
  const schedule = new RetrySchedule(DEFAULTS.webhooks.retry_schedule, always(0.5))
  const waits = Array.from({ length: 10 }, (_, index) => schedule.delayAfter(index + 1))
  const hour = 3_600_000
  assert.deepEqual(waits, [5000, 300_000, hour / 2, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour, undefined])
})

test('every wait is up to a fifth shorter or longer', () => {
  assert.equal(new RetrySchedule([100], always(0)).delayAfter(1), 80_000)
  assert.equal(new RetrySchedule([100], always(1)).delayAfter(1), 120_000)
  assert.equal(new RetrySchedule([100], always(0.25)).delayAfter(1), 90_000)
})

test('Retry-After is honoured between the shortest and the longest wait of the schedule', () => {
  const schedule = new RetrySchedule([5, 60, 600], always(0))
  assert.equal(schedule.delayAfter(1, 30_000), 30_000)
  assert.equal(schedule.delayAfter(2, 0), 5000)
  assert.equal(schedule.delayAfter(1, 86_400_000), 600_000)
  assert.equal(schedule.delayAfter(4, 30_000), undefined, 'there is an attempt too many')
})

test('Retry-After is a number of seconds or a date', () => {
  const now = Date.parse('2026-01-15T12:00:00Z')
  assert.equal(parseRetryAfter('120', now), 120_000)
  assert.equal(parseRetryAfter('Thu, 15 Jan 2026 12:01:30 GMT', now), 90_000)
  assert.equal(parseRetryAfter('Thu, 15 Jan 2026 11:00:00 GMT', now), 0)
  assert.equal(parseRetryAfter('soon', now), undefined)
  assert.equal(parseRetryAfter(undefined, now), undefined)
})
