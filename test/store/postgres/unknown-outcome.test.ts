import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../src/errors.ts'
import type { Database } from '../../../src/store/postgres/connection/database.ts'
import { Layout } from '../../../src/store/postgres/layout/layout.ts'
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { insert, libraryRegistry } from '../../helpers/store/library.ts'

/** A store whose database fails each statement and transaction, and how often its listener heard of unknown changes. */
function failingStore(code: 'OUTCOME_UNKNOWN' | 'STORE_UNAVAILABLE') {
  const fail = async () => {
    throw new AppError(code, 'The connection was lost')
  }
  const database = { maxConnections: 2, query: fail, transaction: fail } as unknown as Database
  const store = new PostgresStore(database, new Layout(libraryRegistry(), 'public'))
  const heard = { unknown: 0 }
  store.onChange(
    () => assert.fail('no change is known'),
    () => heard.unknown++,
  )
  return { store, heard }
}

for (const [code, unknown] of [
  ['OUTCOME_UNKNOWN', 1],
  ['STORE_UNAVAILABLE', 0],
] as const) {
  test(`listeners are told ${unknown} times of unknown changes when a transaction ends with ${code}`, async () => {
    const one = failingStore(code)
    await assert.rejects(one.store.transact([insert('genre', { name: 'crime' })]), { code })
    assert.equal(one.heard.unknown, unknown)
    const parts = failingStore(code)
    await assert.rejects(
      parts.store.transactInParts('commit', (apply) => apply([insert('genre', { name: 'crime' })])),
      { code },
    )
    assert.equal(parts.heard.unknown, unknown)
  })
}
