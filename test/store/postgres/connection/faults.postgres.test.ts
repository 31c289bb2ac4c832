import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { AppError, type ErrorCode } from '../../../../src/errors.ts'
import { type Connection, StatementError } from '../../../../src/store/postgres/connection/database.ts'
import { NotificationListener } from '../../../../src/store/postgres/connection/listener.ts'
import { PgDatabase, type PgDatabaseOptions } from '../../../../src/store/postgres/connection/pg-database.ts'
import { unfitSettings } from '../../../../src/store/postgres/examination.ts'
import { identifier, sql } from '../../../../src/store/postgres/sql.ts'
import { type Cluster, startCluster } from '../../../helpers/postgres/cluster.ts'
import { TcpProxy } from '../../../helpers/postgres/proxy.ts'
import { valuesOf } from '../../../helpers/values-of.ts'

let cluster: Cluster

before(async () => {
  cluster = await startCluster()
  await use({}, (database) => database.query(sql`create table "item" ("id" integer primary key, "name" text not null)`))
})

after(() => cluster.stop())

/** Opens a database for one test. */
async function use<T>(options: PgDatabaseOptions, body: (database: PgDatabase) => Promise<T>, port?: number): Promise<T> {
  const database = new PgDatabase(
    port === undefined ? cluster.socketUrl : `postgres://postgres@127.0.0.1:${port}/postgres`,
    options,
  )
  try {
    return await body(database)
  } finally {
    await database.close()
  }
}

const isCode = (code: ErrorCode, text?: RegExp) => (error: unknown) =>
  error instanceof AppError && error.code === code && (text?.test(error.message) ?? true) && error.retryAfter === 1

const items = async (connection: Connection) =>
  (await connection.query(sql`select "id" from "item" order by "id"`)).rows.map(([id]) => Number(id))

const insert = (id: number) => sql`insert into "item" values (${id}, ${'x'})`

/** Returns a function whose promise is resolved once it was called twice, so that two transactions overlap; a repetition does not wait. */
function meeting(): () => Promise<void> {
  let calls = 0
  let meet = () => {}
  const met = new Promise<void>((resolve) => {
    meet = resolve
  })
  return () => {
    if (++calls === 2) meet()
    return met
  }
}

/** Resolves when a session waits for a lock or for something else. */
async function waiting(connection: Connection, event: string): Promise<void> {
  for (;;) {
    const { rows } = await connection.query(sql`select 1 from pg_stat_activity where wait_event = ${event}`)
    if (rows.length > 0) return
  }
}

describe('a connection', () => {
  test('a transaction that the program refuses is rolled back, and its connection serves the next', async () => {
    await use({ pool: 1 }, async (database) => {
      const session = async (connection: Connection) => (await connection.query(sql`select pg_backend_pid()`)).rows[0]?.[0]
      const first = await session(database)
      const refused = new AppError('PRECONDITION_FAILED', 'The record has changed')
      const transaction = database.transaction(async (connection) => {
        await connection.query(insert(500))
        throw refused
      })
      await assert.rejects(transaction, refused)
      assert.equal(await session(database), first)
      assert.ok(!(await items(database)).includes(500))
    })
  })

  test('an error of a statement has its code and its constraint, and none of the values', async () => {
    await use({}, async (database) => {
      await database.query(insert(1))
      const duplicate = await database.query(insert(1)).catch((error: unknown) => error)
      assert.ok(duplicate instanceof StatementError)
      assert.deepEqual([duplicate.code, duplicate.constraint, duplicate.table], ['23505', 'item_pkey', 'item'])
      const missing = await database.query(sql`insert into "item" values (77123, null)`).catch((error: unknown) => error)
      assert.ok(missing instanceof StatementError && missing.column === 'name')
      assert.doesNotMatch(JSON.stringify({ ...missing, message: missing.message, cause: missing.cause }), /77123/)
    })
  })

  test('a statement that takes too long is cancelled, and the next one is not', async () => {
    await use({ statementTimeout: 200, pool: 1 }, async (database) => {
      await assert.rejects(database.query(sql`select pg_sleep(60)`), isCode('STORE_UNAVAILABLE', /longer than 0.2 s/))
      assert.deepEqual((await database.query(sql`select 1`)).rows, [['1']])
      await assert.rejects(
        database.transaction((connection) => connection.query(sql`select pg_sleep(60)`)),
        isCode('STORE_UNAVAILABLE', /longer than 0.2 s/),
      )
    })
  })

  test('an aborted signal of a transaction cancels its statement on the server', async () => {
    await use({ pool: 2 }, async (database) => {
      const controller = new AbortController()
      const reason = new Error('the client went away')
      const asleep = database.transaction((connection) => connection.query(sql`select pg_sleep(60)`), {
        signal: controller.signal,
      })
      await waiting(database, 'PgSleep')
      controller.abort(reason)
      await assert.rejects(asleep, (error) => error === reason)
      const { rows } = await database.query(sql`select count(*) from pg_stat_activity where wait_event = 'PgSleep'`)
      assert.deepEqual(rows, [['0']])
    })
  })

  test('an aborted signal cancels the statement on the server', async () => {
    await use({ pool: 2 }, async (database) => {
      const controller = new AbortController()
      const reason = new Error('the client went away')
      const asleep = database.query(sql`select pg_sleep(60)`, { signal: controller.signal })
      await waiting(database, 'PgSleep')
      controller.abort(reason)
      await assert.rejects(asleep, (error) => error === reason)
      assert.deepEqual((await database.query(sql`select count(*) from pg_stat_activity where wait_event = 'PgSleep'`)).rows, [
        ['0'],
      ])
      await assert.rejects(database.query(sql`select 1`, { signal: controller.signal }), (error) => error === reason)
    })
  })

  test('a statement waits for a connection, and then fails', async () => {
    await use({ pool: 1, acquireTimeoutMs: 500 }, async (database) => {
      await database.query(sql`select 1`)
      const first = database.query(sql`select pg_sleep(0.05)`)
      await database.query(sql`select 1`)
      await first
      const long = database.query(sql`select pg_sleep(1)`)
      await assert.rejects(database.query(sql`select 1`), isCode('STORE_UNAVAILABLE', /in use/))
      await long
    })
  })

  test('a closed connection is replaced', async () => {
    await use({ pool: 1 }, async (database) => {
      const [[pid = '']] = (await database.query(sql`select pg_backend_pid()`)).rows as [[string]]
      await use({}, (other) => other.query(sql`select pg_terminate_backend(${pid})`))
      assert.deepEqual((await database.query(sql`select 1`)).rows, [['1']])
    })
  })

  test('a read whose connection is lost is repeated', async () => {
    await use({ pool: 2 }, async (database) => {
      const read = database.query(sql`select pg_sleep(0.7)`)
      await waiting(database, 'PgSleep')
      await database.query(sql`select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'`)
      assert.equal((await read).rows.length, 1)
      assert.equal(database.usage().retries, 1)
    })
  })

  test('a reading transaction whose connection is lost at its end is repeated', async () => {
    await use({ pool: 2 }, async (database) => {
      let attempts = 0
      const read = await database.transaction(
        async (connection) => {
          const { rows } = await connection.query(sql`select pg_backend_pid()`)
          if (attempts++ > 0) return 'read again'
          const pid = rows[0]?.[0] ?? ''
          await database.query(sql`select pg_terminate_backend(${pid})`)
          while ((await database.query(sql`select from pg_stat_activity where pid = ${pid}`)).rows.length > 0);
          return 'lost'
        },
        { readOnly: true },
      )
      assert.deepEqual([read, attempts], ['read again', 2])
    })
  })

  test('a server without a connection to spare is waited for', async () => {
    await use({}, (database) => database.query(sql`create role few login connection limit 1`))
    const url = cluster.socketUrl.replace('postgres@', 'few@')
    const [holder, waiter] = [new PgDatabase(url), new PgDatabase(url, { acquireTimeoutMs: 600 })]
    try {
      await holder.query(sql`select 1`)
      await assert.rejects(waiter.query(sql`select 1`), isCode('STORE_UNAVAILABLE', /in use/))
      const found = waiter.query(sql`select 1`)
      await holder.close()
      assert.deepEqual((await found).rows, [['1']])
    } finally {
      await holder.close()
      await waiter.close()
    }
  })

  test('a stream whose reader leaves cancels its statement', async () => {
    await use({ pool: 2 }, async (database) => {
      const controller = new AbortController()
      const reason = new Error('the client went away')
      const read = (async () => {
        for await (const _ of database.stream(sql`select pg_sleep(60)`, 10, { signal: controller.signal }));
      })()
      await waiting(database, 'PgSleep')
      controller.abort(reason)
      await assert.rejects(read, (error) => error === reason)
      assert.deepEqual((await database.query(sql`select count(*) from pg_stat_activity where wait_event = 'PgSleep'`)).rows, [
        ['0'],
      ])
    })
  })

  test('an encoding, digits of decimals and a hidden schema of pg_trgm are named', async () => {
    await use({}, async (database) => {
      assert.deepEqual(await unfitSettings(database), [])
      await database.query(sql`create role plain login`)
      await database.query(sql`create database old encoding 'SQL_ASCII' template template0 locale 'C'`)
      await database.query(sql`alter database old set extra_float_digits = 0`)
    })
    const address = (user: string) => `${cluster.socketUrl.replace('postgres@', `${user}@`)}&dbname=old`
    const [owner, plain] = [new PgDatabase(address('postgres')), new PgDatabase(address('plain'))]
    try {
      await owner.query(sql`create schema hidden`)
      await owner.query(sql`create extension pg_trgm schema hidden`)
      const [encoding, digits, schema] = await unfitSettings(plain)
      assert.match(encoding ?? '', /^The database old has the encoding SQL_ASCII.*createdb --encoding UTF8/)
      assert.match(digits ?? '', /^extra_float_digits is 0.*alter role plain reset extra_float_digits/)
      assert.match(schema ?? '', /grant usage on schema hidden to plain$/)
    } finally {
      await owner.close()
      await plain.close()
    }
  })

  test('a lost connection of a writing statement leaves its outcome unknown', async () => {
    const proxy = await TcpProxy.start(cluster.port)
    await use(
      {},
      async (database) => {
        await database.query(sql`select 1`)
        proxy.hold()
        const write = database.query(insert(20))
        await use({}, async (other) => {
          while (!(await items(other)).includes(20)) await new Promise(setImmediate)
        })
        proxy.cut()
        await assert.rejects(write, isCode('OUTCOME_UNKNOWN', /may have been made/))
      },
      proxy.port,
    )
    await proxy.close()
  })
})

test('a statement whose connection does not answer ends after the timeout; a change may have been made', async () => {
  const proxy = await TcpProxy.start(cluster.port)
  await use(
    { statementTimeout: 100 },
    async (database) => {
      await database.query(sql`select 1`)
      proxy.hold()
      await assert.rejects(database.query(insert(25)), isCode('OUTCOME_UNKNOWN'))
      proxy.resume()
      await database.query(sql`select 1`)
      proxy.hold()
      await assert.rejects(database.query(sql`select 1`), isCode('STORE_UNAVAILABLE', /longer than/))
    },
    proxy.port,
  )
  await proxy.close()
})

describe('a transaction', () => {
  test('is committed as a whole, or rolled back', async () => {
    await use({}, async (database) => {
      assert.equal(
        await database.transaction(async (connection) => {
          await connection.query(insert(30))
          await connection.query(insert(31))
          return 'result'
        }),
        'result',
      )
      const failure = new Error('no')
      const failed = database.transaction(async (connection) => {
        await connection.query(insert(32))
        throw failure
      })
      await assert.rejects(failed, (error) => error === failure)
      assert.deepEqual(
        (await items(database)).filter((id) => id >= 30 && id < 40),
        [30, 31],
      )
    })
  })

  test('a transaction whose statement failed is not reported as committed', async () => {
    await use({}, async (database) => {
      const work = async (connection: Connection) => {
        await connection.query(sql`select 1 / 0`).catch(() => {})
      }
      await assert.rejects(database.transaction(work), /rolled back/)
    })
  })

  test('statements of one transaction may be sent at once', async () => {
    await use({}, async (database) => {
      const results = await database.transaction((connection) =>
        Promise.all([1, 2, 3].map((number) => connection.query(sql`select ${number}::integer`))),
      )
      assert.deepEqual(valuesOf(results, 'rows'), [[['1']], [['2']], [['3']]])
    })
  })

  test('a deadlock of a statement that is not to be repeated is thrown', async () => {
    await use({}, async (database) => {
      await database.query(sql`insert into "item" values (45, '')`)
      await database.query(sql`create function "fail"() returns integer language plpgsql as $$
        begin raise exception 'deadlock detected' using errcode = '40P01'; end $$`)
      const failed = await database
        .query(sql`select "fail"() from "item"`, { isRepeated: false })
        .catch((error: unknown) => error)
      assert.ok(failed instanceof StatementError && failed.code === '40P01')
      assert.equal(database.usage().retries, 1, 'its caller repeats it in another way')
    })
  })

  test('deadlocks are retried', async () => {
    await use({}, async (database) => {
      await database.query(sql`insert into "item" values (40, ''), (41, '')`)
      const meet = meeting()
      const append = (ids: readonly number[], letter: string) =>
        database.transaction(async (connection) => {
          for (const id of ids) {
            await connection.query(sql`update "item" set "name" = "name" || ${letter} where "id" = ${id}`)
            await meet()
          }
        })
      await Promise.all([append([40, 41], 'a'), append([41, 40], 'b')])
      const { rows } = await database.query(sql`select "name" from "item" where "id" in (40, 41)`)
      assert.deepEqual(
        rows.map(([name]) => [...(name ?? '')].sort().join('')),
        ['ab', 'ab'],
      )
      assert.ok(database.usage().retries > 0)
    })
  })

  test('serialization failures are retried', async () => {
    await use({}, async (database) => {
      await database.query(sql`insert into "item" values (50, '0')`)
      const meet = meeting()
      const increment = () =>
        database.transaction(
          async (connection) => {
            const { rows } = await connection.query(sql`select "name" from "item" where "id" = 50`)
            await meet()
            await connection.query(sql`update "item" set "name" = ${Number(rows[0]?.[0]) + 1} where "id" = 50`)
          },
          { isolation: 'repeatable read' },
        )
      await Promise.all(Array.from({ length: 5 }, increment))
      assert.deepEqual((await database.query(sql`select "name" from "item" where "id" = 50`)).rows, [['5']])
      assert.ok(database.usage().retries > 0)
    })
  })

  test('is repeated when its connection is lost before the commit', async () => {
    await use({}, async (database) => {
      let attempts = 0
      await database.transaction(async (connection) => {
        await connection.query(insert(60))
        if (++attempts === 1) await connection.query(sql`select pg_terminate_backend(pg_backend_pid())`)
      })
      assert.equal(attempts, 2)
      assert.ok((await items(database)).includes(60))
    })
  })

  test('a lost answer of the commit leaves its outcome unknown', async () => {
    const proxy = await TcpProxy.start(cluster.port)
    await use(
      {},
      async (database) => {
        proxy.onRequest((bytes) => {
          if (bytes.includes('commit\0')) proxy.hold()
        })
        const write = database.transaction((connection) => connection.query(insert(70)))
        await use({}, async (other) => {
          while (!(await items(other)).includes(70)) await new Promise(setImmediate)
        })
        proxy.cut()
        await assert.rejects(write, isCode('OUTCOME_UNKNOWN'))
      },
      proxy.port,
    )
    await proxy.close()
  })

  test('leaves nothing behind in the session', async () => {
    await use({ pool: 1 }, async (database) => {
      const settings = sql`select current_setting('statement_timeout'), current_setting('transaction_isolation')`
      const earlier = await database.query(settings)
      const within = await database.transaction((connection) => connection.query(settings), { isolation: 'repeatable read' })
      assert.deepEqual(within.rows, [['30s', 'repeatable read']])
      assert.deepEqual((await database.query(settings)).rows, earlier.rows)
    })
  })
})

describe('a stream', () => {
  const numbers = sql`select "i" from generate_series(1, ${25}::integer) "i"`

  test('gives all rows in batches', async () => {
    await use({ pool: 1 }, async (database) => {
      const sizes: number[] = []
      for await (const batch of database.stream(numbers, 10)) sizes.push(batch.length)
      assert.deepEqual(sizes, [10, 10, 5])
      const exact: number[] = []
      for await (const batch of database.stream(numbers, 5)) exact.push(batch.length)
      assert.deepEqual(exact, [5, 5, 5, 5, 5])
    })
  })

  test('is of one moment', async () => {
    await use({}, async (database) => {
      await database.query(sql`insert into "item" select "i", '' from generate_series(100, 130) "i"`)
      const found: (string | null | undefined)[] = []
      for await (const batch of database.stream(sql`select "id" from "item" where "id" between 100 and 199`, 5)) {
        if (found.length === 0) await database.query(sql`delete from "item" where "id" between 100 and 199`)
        found.push(...batch.map(([id]) => id))
      }
      assert.equal(found.length, 31)
    })
  })

  test('waits while others use half of the connections, and is then refused', async () => {
    await use({ pool: 2, acquireTimeoutMs: 300 }, async (database) => {
      const first = database.stream(numbers, 10)[Symbol.asyncIterator]()
      await first.next()
      await assert.rejects(async () => await database.stream(numbers, 10)[Symbol.asyncIterator]().next(), {
        code: 'STORE_UNAVAILABLE',
        details: 'As many exports are running as the pool of connections allows',
      })
      assert.deepEqual((await database.query(sql`select 1`)).rows, [['1']])
      const waiting = [1, 2].map(async () => {
        for await (const batch of database.stream(numbers, 25)) return batch.length
      })
      await first.return?.()
      assert.deepEqual(await Promise.all(waiting), [25, 25])
      for await (const batch of database.stream(numbers, 25)) assert.equal(batch.length, 25)
    })
  })

  test('returns its connection when it is abandoned', async () => {
    await use({ pool: 1 }, async (database) => {
      for await (const batch of database.stream(numbers, 10)) {
        assert.equal(batch.length, 10)
        break
      }
      assert.deepEqual(database.usage(), { connections: 1, idle: 1, waiting: 0, retries: 0 })
      assert.deepEqual((await database.query(sql`select 1`)).rows, [['1']])
    })
  })
})

test('while the server is away, statements fail at once; when it is back, they succeed', async () => {
  const other = await startCluster()
  const lost: string[] = []
  const database = new PgDatabase(other.url, { warn: (message) => lost.push(message) })
  await Promise.all([1, 2, 3].map(() => database.query(sql`select pg_sleep(0.01)`)))
  await other.halt()
  const before = performance.now()
  await assert.rejects(database.query(sql`select 1`), isCode('STORE_UNAVAILABLE'))
  await assert.rejects(
    database.transaction((connection) => connection.query(sql`select 1`)),
    isCode('STORE_UNAVAILABLE', /cannot be reached/),
  )
  assert.ok(performance.now() - before < 5000)
  assert.ok(lost.length > 0)
  await other.resume()
  assert.deepEqual((await database.query(sql`select 1`)).rows, [['1']])
  await database.close()
  await assert.rejects(database.query(sql`select ${identifier('x')}`), isCode('STORE_UNAVAILABLE', /closed/))
  await other.stop()
})

describe('a listener', () => {
  test('listens again when its connection was lost, and does not after its end', async () => {
    await use({}, async (database) => {
      const delays: number[] = []
      let connectAgain = () => {}
      let heard = () => {}
      const listener = new NotificationListener(
        cluster.socketUrl,
        'test',
        () => heard(),
        (milliseconds, work) => {
          delays.push(milliseconds)
          connectAgain = work
          return () => {}
        },
      )
      const arrival = async () => {
        const arrived = new Promise<void>((resolve) => {
          heard = resolve
        })
        const asking = setInterval(() => void database.query(sql`select pg_notify('test', '')`), 20)
        await arrived
        clearInterval(asking)
      }
      const listeners = sql`select pid from pg_stat_activity where query = 'listen test'`
      await arrival()
      await database.query(sql`select pg_terminate_backend(pid) from (${listeners}) "l"`)
      while (delays.length === 0) await database.query(sql`select 1`)
      assert.deepEqual(delays, [5000])
      connectAgain()
      await arrival()
      listener.close()
      while ((await database.query(listeners)).rows.length > 0);
      assert.deepEqual(delays, [5000])
    })
  })
})
