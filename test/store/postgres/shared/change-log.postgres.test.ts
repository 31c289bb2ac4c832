import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NotificationListener } from '../../../../src/store/postgres/connection/listener.ts'
import { PostgresStore } from '../../../../src/store/postgres/postgres-store.ts'
import { CHANGES_CHANNEL, StoredChangeLog } from '../../../../src/store/postgres/shared/stored-change-log.ts'
import { sql } from '../../../../src/store/postgres/sql.ts'
import type { Operation, Store, StoredRecord } from '../../../../src/store/store.ts'
import { NO_POSTGRES, serverAddress } from '../../../helpers/postgres/server.ts'
import { insert, libraryRegistry, remove, update } from '../../../helpers/store/library.ts'
import { valuesOf } from '../../../helpers/values-of.ts'
import { type ProcessStore, untilBlocked, withTwoProcesses } from '../transactions/two-processes.ts'

interface Parts {
  /** Moves the time of the writer. */
  pass(milliseconds: number): void
  readonly writer: Store
  readonly reader: StoredChangeLog
  readonly one: ProcessStore
  readonly other: ProcessStore
}

const logged = (name: string, body: (parts: Parts) => Promise<void>) =>
  test(name, NO_POSTGRES === undefined ? {} : { skip: NO_POSTGRES }, () =>
    withTwoProcesses(libraryRegistry(), async (one, other) => {
      let time = 0
      const logOf = ({ database, layout }: ProcessStore, origin: string) =>
        new StoredChangeLog(database, layout, { origin, now: () => time })
      const writer = new PostgresStore(one.database, one.layout, { changeLog: logOf(one, 'writer'), now: () => time })
      const pass = (milliseconds: number) => {
        time += milliseconds
      }
      await body({ pass, writer, reader: logOf(other, 'reader'), one, other })
    }),
  )

async function accepted(store: Store, operations: readonly Operation[]): Promise<readonly StoredRecord[]> {
  const outcome = await store.transact(operations)
  if (!outcome.ok) assert.fail(`Refused: ${JSON.stringify(outcome.violations)}`)
  return outcome.records
}

async function countOf({ database, layout }: ProcessStore): Promise<number> {
  const { rows } = await database.query(sql`select count(*) from ${layout.system('changes')}`)
  return Number(rows[0]?.[0])
}

logged(
  'nothing is logged until a process reads the log, and a second after that at the latest it is',
  async ({ writer, reader, one, pass }) => {
    await accepted(writer, [insert('genre', { name: 'a' })])
    await reader.announce()
    await accepted(writer, [insert('genre', { name: 'b' })])
    assert.equal(await countOf(one), 0)
    pass(1000)
    await accepted(writer, [insert('genre', { name: 'c' })])
    assert.equal(await countOf(one), 1)
    await reader.withdraw()
    pass(1000)
    await accepted(writer, [insert('genre', { name: 'd' })])
    assert.equal(await countOf(one), 1)
  },
)

logged('changes that were to be stored before a reader began, and are stored after it, are told to be missing', async (parts) => {
  const { writer, reader, one, other, pass } = parts
  const lateness = await other.database.transaction(async (connection) => {
    await connection.query(sql`lock table ${one.layout.of('genre').table}`)
    const late = accepted(writer, [insert('genre', { name: 'late' })])
    await untilBlocked(one)
    await reader.announce()
    pass(600)
    return { late, position: await reader.end() }
  })
  await lateness.late
  const read = await reader.read(lateness.position)
  assert.deepEqual(
    read?.transactions.map(({ changes }) => changes),
    [undefined],
  )
})

logged('every kind of change is told once, with the record before and after it', async ({ writer, reader }) => {
  await reader.announce()
  let position = await reader.end()
  const next = async () => {
    const read = (await reader.read(position)) ?? assert.fail('The reader is not announced')
    position = read.position
    return read.transactions.flatMap(({ changes }) => changes ?? assert.fail('The changes are too many'))
  }
  const [author] = await accepted(writer, [insert('author', { name: 'Ann', passphrase: 'hash' })])
  const id = author?.id ?? 0
  const [created, ...others] = await next()
  assert.equal(others.length, 0)
  assert.deepEqual([created?.table, created?.id, created?.before, created?.after?.name], ['author', id, undefined, 'Ann'])
  assert.equal(created?.after?.id, id)
  assert.ok(created !== undefined && !('passphrase' in (created.after ?? {})), 'the log has no secrets')
  // One statement stores both.
  const joined = await Promise.all(['x', 'y'].map((name) => accepted(writer, [insert('genre', { name })])))
  const told = await next()
  assert.deepEqual(
    told.map(({ id: each, after }) => [each, after?.id, after?.name]),
    valuesOf(joined.flat(), 'id', 'id', 'name'),
  )
  const [present] = await writer.get('author', [id])
  await accepted(writer, [{ ...update('author', id, { name: 'Bea' }), expect: present } as Operation])
  assert.deepEqual(
    (await next()).map(({ before, after }) => [before?.name, after?.name]),
    [['Ann', 'Bea']],
  )
  const [category] = await accepted(writer, [insert('category', { name: 'top' })])
  await accepted(writer, [insert('category', { name: 'below', parent_id: category?.id ?? 0 })])
  await next()
  await accepted(writer, [remove('category', category?.id ?? 0)])
  assert.deepEqual((await next()).map(({ before, after }) => [before?.name, after]).sort(), [
    ['below', undefined],
    ['top', undefined],
  ])
  assert.deepEqual(await next(), [])
})

logged('many new records of a few tables are told as one transaction, with their ids', async ({ writer, reader }) => {
  await reader.announce()
  const position = await reader.end()
  const many = Array.from({ length: 150 }, (_, index) => insert('series', { name: `s${index}` }))
  const records = await accepted(writer, [insert('genre', { name: 'a' }), ...many, insert('category', { name: 'b' })])
  const read = (await reader.read(position)) ?? assert.fail('The reader is not announced')
  assert.deepEqual(
    read.transactions.map(({ changes }) => changes?.map(({ id, after }) => [id, after?.id, after?.name])),
    [valuesOf(records, 'id', 'id', 'name')],
  )
})

logged('new records of several tables are told with the ids that were taken before', async ({ writer, reader }) => {
  await reader.announce()
  const position = await reader.end()
  const [id = 0] = await writer.takeIds('category', 1)
  const records = await accepted(writer, [
    insert('series', { name: 'one', category_id: id }),
    insert('genre', { name: 'a' }),
    insert('category', { name: 'top' }, id),
    insert('series', { name: 'two' }),
  ])
  const read = (await reader.read(position)) ?? assert.fail('The reader is not announced')
  assert.deepEqual(
    read.transactions.map(({ changes }) =>
      changes?.map(({ table, id: each, after }) => [table, each, after?.id, after?.name]).sort(),
    ),
    [
      [
        ['category', id, id, 'top'],
        ['genre', records[1]?.id, records[1]?.id, 'a'],
        ['series', records[0]?.id, records[0]?.id, 'one'],
        ['series', records[3]?.id, records[3]?.id, 'two'],
      ],
    ],
  )
})

logged('a transaction that commits after a later one is told of too', async ({ writer, reader, one }) => {
  await reader.announce()
  const changes = one.layout.system('changes')
  let position = await reader.end()
  await one.database.transaction(async (connection) => {
    await connection.query(sql`insert into ${changes} ("origin", "changes") values ('third', '[{"table":"genre","id":77}]')`)
    await accepted(writer, [insert('genre', { name: 'later' })])
    const read = (await reader.read(position)) ?? assert.fail()
    assert.equal(read.transactions.length, 1)
    position = read.position
  })
  const read = (await reader.read(position)) ?? assert.fail()
  assert.deepEqual(
    read.transactions.map(({ changes: each }) => each?.map(({ id }) => id)),
    [[77]],
  )
})

logged('a reader whose announcement has ended learns that changes may be missing', async ({ reader, other }) => {
  await reader.announce()
  const position = await reader.end()
  await other.database.query(sql`update ${other.layout.system('change_readers')} set "until" = clock_timestamp()`)
  assert.equal(await reader.read(position), undefined)
})

logged('a transaction with more than a thousand changes is told of without them', async ({ writer, reader }) => {
  await reader.announce()
  const position = await reader.end()
  await accepted(
    writer,
    Array.from({ length: 1001 }, (_, index) => insert('genre', { name: `g${index}` })),
  )
  const read = (await reader.read(position)) ?? assert.fail()
  assert.deepEqual(valuesOf(read.transactions, 'changes'), [undefined])
})

logged('a reader is notified of the changes of other processes, not of its own or of another schema', async ({ one, other }) => {
  const address = await serverAddress()
  let isListening = () => {}
  const listening = new Promise<void>((resolve) => {
    isListening = resolve
  })
  const payloads: string[] = []
  const listen = (heard: (payload: string) => void) => {
    const listener = new NotificationListener(address, CHANGES_CHANNEL, (payload) => {
      if (payload === 'begin') isListening()
      else payloads.push(payload)
      heard(payload)
    })
    return () => listener.close()
  }
  const now = () => performance.now()
  const readerLog = new StoredChangeLog(other.database, other.layout, { origin: 'reader', now, listen })
  let calls = 0
  let wasHeard = () => {}
  const nextCall = () =>
    new Promise<void>((resolve) => {
      wasHeard = resolve
    })
  const stop = readerLog.listen(() => {
    calls += 1
    wasHeard()
  })
  const notify = (payload: string) => one.database.query(sql`select pg_notify(${CHANGES_CHANNEL}, ${payload})`)
  try {
    const asking = setInterval(() => void notify('begin'), 20)
    await listening
    clearInterval(asking)
    await readerLog.announce()
    const own = new PostgresStore(other.database, other.layout, { changeLog: readerLog })
    const written = new StoredChangeLog(one.database, one.layout, { origin: 'writer', now })
    const writer = new PostgresStore(one.database, one.layout, { changeLog: written })
    await notify('elsewhere writer')
    // Its own changes are notified of, for others. Closing the store sends what waits.
    await written.announce()
    await accepted(own, [insert('genre', { name: 'own' })])
    await own.close()
    assert.equal(calls, 0)
    const heard = nextCall()
    await Promise.all(['a', 'b', 'c'].map((name) => accepted(writer, [insert('genre', { name })])))
    await heard
    assert.equal(calls, 1, payloads.join())
    const { schema } = one.layout
    // Servers of other tests notify on the same channel.
    const told = payloads.filter((payload) => payload.startsWith(schema) || payload.startsWith('elsewhere'))
    assert.deepEqual(told, ['elsewhere writer', `${schema} reader`, `${schema} writer`])
  } finally {
    stop()
  }
})
