import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isoTime } from '../../src/util/clock.ts'

describe('timestamps are UTC with milliseconds', () => {
  for (const text of ['1970-01-01T00:00:00.000Z', '2024-02-29T23:59:59.999Z']) {
    test(text, () => assert.equal(isoTime(Date.parse(text)), text))
  }
})
