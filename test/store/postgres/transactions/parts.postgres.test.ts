import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PostgresStore } from '../../../../src/store/postgres/postgres-store.ts'
import { StoredChangeLog } from '../../../../src/store/postgres/shared/stored-change-log.ts'
import { sql } from '../../../../src/store/postgres/sql.ts'
import { PostgresTransactions } from '../../../../src/store/postgres/transactions/postgres-transactions.ts'
import type { ApplyPart, Operation, PartOutcome } from '../../../../src/store/store.ts'
import { NO_POSTGRES } from '../../../helpers/postgres/server.ts'
import { insert, libraryRegistry, update } from '../../../helpers/store/library.ts'
import { valuesOf } from '../../../helpers/values-of.ts'
import { advisoryLocks, withinTransaction } from './locks.ts'
import { allOf, type ProcessStore, withTwoProcesses } from './two-processes.ts'

const parted = (name: string, body: (one: ProcessStore, other: ProcessStore) => Promise<void>) =>
  test(name, NO_POSTGRES === undefined ? {} : { skip: NO_POSTGRES }, () => withTwoProcesses(libraryRegistry(), body))

const genres = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => insert('genre', { name: `${prefix} ${index}` }))

class Refused extends Error {}

async function accepted(outcome: Promise<PartOutcome>): Promise<void> {
  if (!(await outcome).ok) throw new Refused()
}

const transactionsOf = ({ database, layout }: ProcessStore) => new PostgresTransactions(database, layout)

parted('parts are one transaction: others see all of them or none', async (one, other) => {
  const result = await transactionsOf(one).commitInParts(async (apply) => {
    await accepted(apply(genres('a', 3)))
    assert.equal((await allOf(other.store, 'genre')).length, 0)
    await accepted(apply(genres('b', 2)))
    return 'done'
  })
  assert.equal(result, 'done')
  const [first] = await allOf(other.store, 'genre')
  assert.deepEqual(valuesOf(await allOf(other.store, 'genre'), 'name'), ['a 0', 'a 1', 'a 2', 'b 0', 'b 1'])
  // Updates, and parts that the database refuses.
  const failing = async (apply: ApplyPart) => {
    await accepted(apply([{ ...update('genre', first?.id ?? 0, { name: 'renamed' }), expect: first } as Operation]))
    await accepted(apply([insert('genre', { name: 'a 1' })]))
  }
  await assert.rejects(transactionsOf(one).commitInParts(failing), Refused)
  await assert.rejects(
    transactionsOf(one).commitInParts((apply) => apply(genres('c', 1)).then(() => assert.fail('gone'))),
    /gone/,
  )
  assert.deepEqual((await allOf(other.store, 'genre'))[0]?.name, 'a 0')
  assert.equal((await allOf(other.store, 'genre')).length, 5)
})

parted('of one process, one transaction runs at a time', async (one) => {
  const transactions = transactionsOf(one)
  const steps: string[] = []
  const run = (name: string) => async (apply: ApplyPart) => {
    steps.push(`${name} begins`)
    await accepted(apply(genres(name, 1)))
    steps.push(`${name} ends`)
  }
  await Promise.all([
    transactions.commitInParts(run('a')),
    transactions.rehearseInParts(run('b')),
    transactions.commitInParts(run('c')),
  ])
  assert.deepEqual(steps, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
})

parted('a rehearsal finds the violations of each part, sees the parts before it, and stores nothing', async (one) => {
  const found = await transactionsOf(one).rehearseInParts(async (apply) => {
    const outcomes: PartOutcome[] = []
    outcomes.push(await apply(genres('a', 2)))
    outcomes.push(await apply([insert('genre', { name: 'b' }), insert('genre', { name: 'a 1' }), insert('genre', {})]))
    outcomes.push(await apply([insert('genre', { name: 'b' })]))
    return outcomes.map((outcome) => (outcome.ok ? [] : outcome.violations))
  })
  assert.deepEqual(found, [
    [],
    [
      { kind: 'unique', index: 1, field: 'name' },
      { kind: 'not_null', index: 2, field: 'name' },
    ],
    [],
  ])
  assert.equal((await allOf(one.store, 'genre')).length, 0)
})

parted('of the unique values of many parts some are locked', async (one) => {
  await one.database.transaction(async (connection) => {
    const within = withinTransaction(connection)
    await new PostgresTransactions(within, one.layout).commitInParts(async (apply) => {
      for (const prefix of ['a', 'b', 'c']) await accepted(apply(genres(prefix, 100)))
    })
    assert.equal(await advisoryLocks(connection), 32)
  })
})

parted('a transaction that others refuse when it is committed begins again', async (one, other) => {
  const { table } = one.layout.of('genre')
  let calls = 0
  let commit = () => {}
  const isApplied = new Promise<void>((resolve) => {
    commit = resolve
  })
  let begin = () => {}
  const hasBegun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const meanwhile = other.database.transaction(async (connection) => {
    await connection.query(sql`insert into ${table} ("name") values ('wanted')`)
    begin()
    await isApplied
  })
  await hasBegun
  const work = async (apply: ApplyPart) => {
    calls += 1
    await accepted(apply(genres('a', 2)))
    // Not seen by this transaction before the other one is committed.
    await accepted(apply([insert('genre', { name: 'wanted' })]))
    commit()
    await meanwhile
  }
  try {
    await assert.rejects(transactionsOf(one).commitInParts(work), Refused)
  } finally {
    // Otherwise the other transaction would keep the schema from being removed, and hide the failure.
    commit()
    await meanwhile
  }
  assert.equal(calls, 2)
  assert.deepEqual(valuesOf(await allOf(other.store, 'genre'), 'name'), ['wanted'])
})

parted('readers of the log and listeners are told that changes are unknown', async (one, other) => {
  const logOf = ({ database, layout }: ProcessStore, origin: string) =>
    new StoredChangeLog(database, layout, { origin, now: () => performance.now() })
  const reader = logOf(other, 'reader')
  await reader.announce()
  const position = await reader.end()
  const writer = new PostgresStore(one.database, one.layout, { changeLog: logOf(one, 'writer') })
  const told: string[] = []
  writer.onChange(
    () => told.push('changes'),
    () => told.push('unknown'),
  )
  await writer.transactInParts('rehearse', (apply) => accepted(apply(genres('a', 1))))
  const refuse = async () => {
    throw new Refused()
  }
  await assert.rejects(writer.transactInParts('commit', refuse), Refused)
  assert.deepEqual(told, [], 'nothing was changed')
  await writer.transactInParts('commit', (apply) => accepted(apply(genres('a', 1))))
  assert.deepEqual(told, ['unknown'])
  const read = await reader.read(position)
  assert.deepEqual(
    read?.transactions.map(({ changes }) => changes),
    [undefined],
  )
  await writer.close()
  await assert.rejects(
    writer.transactInParts('commit', async () => {}),
    { code: 'STORE_UNAVAILABLE' },
  )
})
