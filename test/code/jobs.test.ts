import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NEEDS_DATA_FOLDER, type TestApp } from '../helpers/api/app.ts'
import { type ShopWork, withShop } from '../helpers/code/shop.ts'
import { repetitions } from '../helpers/counts.ts'

/** Writes that enqueue a job and are rolled back. */
const ROLLED_BACK = repetitions(200, 10_000)

const RECEIPT = {
  'jobs/receipt.ts': `import { defineJob } from 'admin-folder'
export default defineJob({
  name: 'receipt',
  input: [{ name: 'number', type: 'string', required: true }],
  concurrency: 2,
  async run({ number }, ctx) {
    globalThis.seen.push([number, ctx.job.id, ctx.job.attempt, ctx.via, ctx.actor?.username ?? null])
    if (number.startsWith('bad')) throw new Error('The printer is on fire')
    await ctx.system.model('ledger').create({ text: 'receipt ' + number })
  },
})
`,
  'hooks/order.ts': `import { defineHooks, refuse } from 'admin-folder'
import receipt from '../jobs/receipt.ts'
export default defineHooks('order', {
  async beforeCreate({ record }, tx) {
    await tx.enqueue(receipt, { number: 'O-' + record.quantity }, record.price === 7 ? { key: 'seven' } : {})
    if (record.quantity === 13) refuse('Unlucky')
  },
  validate: ({ record }) => (record.quantity === 14 ? { quantity: 'Too many' } : undefined),
})
`,
}

const tests = (name: string, work: ShopWork, code: Readonly<Record<string, string>> = RECEIPT) =>
  test(name, () => withShop(work, code))

const order = (quantity: number, price = 1) => ({ product_id: 1, quantity, price })

tests('a job of a hook is stored with the record, and runs after the commit', async ({ app, call, all, seen, until }) => {
  const created = await call('POST', 'order', order(2))
  assert.equal(created.status, 201, created.text)
  const [stored] = await all('queuedjob')
  assert.deepEqual([stored.name, stored.status, stored.input], ['receipt', 'waiting', { number: 'O-2' }])
  await app.app.begin()
  await until(async () => (await all('queuedjob'))[0].status === 'done')
  assert.deepEqual(seen(), [['O-2', stored.id, 1, 'job', 'admin']])
  assert.deepEqual(
    (await all('ledger')).map(({ text }) => text),
    ['receipt O-2'],
  )
  await call('POST', 'order', order(3))
  await until(async () => (await all('ledger')).length === 2)
})

tests('a refused write, an invalid one and a dry run store no job', async ({ call, all }) => {
  assert.equal((await call('POST', 'order', order(13))).status, 400)
  assert.equal((await call('POST', 'order', order(14))).status, 400)
  assert.equal((await call('POST', 'order?dry_run=true', order(1))).status, 200)
  const some = await call('POST', 'order/bulk', undefined, { records: [order(1), order(13)] })
  assert.equal(some.status, 400, some.text)
  assert.deepEqual(await all('queuedjob'), [])
})

tests(`of ${ROLLED_BACK} writes that are rolled back beside others, none leaves a job`, async ({ call, all }) => {
  let left = ROLLED_BACK
  let stored = 0
  const client = async (number: number) => {
    while (left-- > 0) {
      const way = left % 5
      const refused =
        way === 0
          ? await call('POST', 'order/bulk', undefined, { records: [order(1), order(13)] })
          : way === 1
            ? await call('POST', 'order?dry_run=true', order(1))
            : // The hook refuses, its validation does, or the number is not unique.
              await call('POST', 'order', way === 2 ? order(13) : way === 3 ? order(14) : { ...order(2), number: 'taken' })
      assert.equal(refused.status, way === 1 ? 200 : 400, refused.text)
      if (left % 100 !== number) continue
      assert.equal((await call('POST', 'order', order(3))).status, 201)
      stored++
    }
  }
  await call('POST', 'order', { ...order(1), number: 'taken' })
  await Promise.all(Array.from({ length: 16 }, (_, number) => client(number)))
  assert.equal((await all('queuedjob')).length, stored + 1)
})

tests('while a job with a key waits, it is not stored again', async ({ app, call, all, until }) => {
  for (const quantity of [1, 2]) await call('POST', 'order', order(quantity, 7))
  const together = await Promise.all([3, 4, 5].map((quantity) => call('POST', 'order', order(quantity, 7))))
  assert.deepEqual(
    together.map(({ status }) => status),
    [201, 201, 201],
  )
  assert.equal((await all('order')).length, 5)
  assert.deepEqual(
    (await all('queuedjob')).map(({ input }) => input.number),
    ['O-1'],
  )
  await app.app.begin()
  await until(async () => (await all('queuedjob'))[0].status === 'done')
  await Promise.all([6, 7, 8].map((quantity) => call('POST', 'order', order(quantity, 7))))
  await until(async () => (await all('queuedjob')).every(({ status }) => status === 'done'))
})

const api = async (app: TestApp, method: 'GET' | 'POST', path: string, payload?: object, user = 'admin') => {
  const authorization = `Bearer ${await app.tokenOf(user)}`
  const reply = await app.server.inject({
    method,
    url: `/api/v1/${path}`,
    headers: { authorization },
    ...(payload && { payload }),
  })
  return { status: reply.statusCode, json: JSON.parse(reply.payload) }
}

/** Moves the clock until a condition is met, so that the queue is read again. */
const moving = ({ app, until }: Parameters<ShopWork>[0], condition: () => Promise<boolean>) =>
  until(async () => {
    const isMet = await condition()
    if (!isMet) app.advance(250)
    return isMet
  })

tests('a failed attempt is repeated after 10 s times 4, 16 …, at most 5 times; a superuser lets it run again', async (shop) => {
  const { app, all, seen, until } = shop
  await app.app.begin()
  const run = await api(app, 'POST', 'jobs/receipt/run', { input: { number: 'bad' } })
  assert.equal(run.status, 202, JSON.stringify(run.json))
  for (const [index, seconds] of [10, 40, 160, 640].entries()) {
    await until(async () => (await all('queuedjob'))[0].failures === index + 1)
    const [{ due_at: due, status, started_at: started }] = await all('queuedjob')
    const delay = (Date.parse(due) - Date.parse(started)) / 1000
    assert.equal(status, 'waiting')
    // The clock may have been moved while the attempt ran.
    assert.ok(delay >= seconds * 0.8 && delay <= seconds * 1.2 + 2, `${delay} s instead of ${seconds}`)
    app.advance(delay * 1000)
    await moving(shop, async () => (await all('queuedjob'))[0].attempt === index + 2)
  }
  await until(async () => (await all('queuedjob'))[0].status === 'failed')
  assert.deepEqual(
    seen().map(([, , attempt]) => attempt),
    [1, 2, 3, 4, 5],
  )
  const failed = await api(app, 'GET', 'jobs?status=failed&name=receipt')
  assert.equal(failed.json.total, 1)
  const [{ id, error, attempt }] = failed.json.data
  assert.match(error, /^jobs\/receipt\.ts:8 receipt: The printer is on fire$/)
  assert.equal(attempt, 5)
  assert.match(app.logged.join('\n'), /jobs\/receipt\.ts:8/)
  app.reported.length = 0
  assert.equal((await api(app, 'POST', `jobs/${id}/retry`)).status, 202)
  await until(async () => (await all('queuedjob'))[0].failures === 1)
  app.reported.length = 0
})

tests('the routes are those of superusers, and say what is wrong', async ({ app, call }) => {
  await call('POST', 'group', { name: 'clerks' })
  await call('POST', 'user', { username: 'clerk', email: 'clerk@example.org', password: 'a-long-password' })
  for (const [method, path] of [
    ['GET', 'jobs'],
    ['POST', 'jobs/1/retry'],
    ['POST', 'jobs/receipt/run'],
  ] as const) {
    assert.equal((await api(app, method, path, undefined, 'clerk')).status, 403, path)
    assert.equal((await app.server.inject({ method, url: `/api/v1/${path}` })).statusCode, 401, path)
  }
  const site = async (user: string) => {
    const authorization = `Bearer ${await app.tokenOf(user)}`
    return JSON.parse((await app.server.inject({ url: '/admin/api/v1/site', headers: { authorization } })).payload)
  }
  const [known, ...others] = (await site('admin')).jobs
  assert.deepEqual([known.name, known.schedule, known.timezone, others], ['receipt', null, null, []])
  assert.deepEqual(
    [known.input, known.input_fields].map(([field]) => [field.name, field.required]),
    [
      ['number', true],
      ['number', true],
    ],
  )
  assert.equal((await site('clerk')).jobs, undefined)
  const status = async (path: string, body?: object) => (await api(app, body === undefined ? 'GET' : 'POST', path, body)).status
  assert.equal(await status('jobs/none/run', {}), 404)
  assert.equal(await status('jobs/7/retry', {}), 404)
  assert.equal(await status('jobs/receipt/run', {}), 400)
  assert.equal(await status('jobs/receipt/run', { input: { number: 'x', more: 1 } }), 400)
  assert.equal(await status('jobs/receipt/run', { inputs: {} }), 400)
  assert.equal(await status('jobs/receipt/run', { input: { number: 'x' }, run_at: 'soon' }), 400)
  assert.equal(await status('jobs?status=lost'), 400)
  assert.equal(await status('jobs?name=none'), 400)
})

tests(
  'a job that is let run again has its key, unless another waits with it; one that the project has no more stays',
  async (shop) => {
    const { app, all } = shop
    const failed = (name: string, key: string | null) => ({
      ...{ name, key, input: { number: '1' }, status: 'failed', attempt: 5, failures: 5, lost: 0, of_server: true },
      ...{ enqueued_at: '2026-01-01T00:00:00.000Z', finished_at: '2026-01-01T00:00:00.000Z', chain: [] },
    })
    const rows = [failed('receipt', 'one'), failed('receipt', 'one'), failed('gone', null)]
    const stored = await app.app.store.transact(rows.map((values) => ({ kind: 'insert' as const, table: 'queuedjob', values })))
    const [first, second, gone] = stored.ok ? stored.records.map(({ id }) => id) : []
    const retry = async (id: number | undefined) => {
      const { status, json } = await api(app, 'POST', `jobs/${id}/retry`)
      return status === 202 ? 202 : `${status} ${json.details}`
    }
    assert.equal(await retry(first), 202)
    assert.equal(await retry(first), 202, 'a waiting one is due at once')
    assert.equal(await retry(second), "409 Another job 'receipt' with the key 'one' waits")
    assert.equal(await retry(gone), `409 Job ${gone} is a 'gone', which the project has no more`)
    const idsOf = async (query: string) => {
      const { json } = await api(app, 'GET', `jobs?${query}`)
      return json.data?.map(({ id }: { id: number }) => id) ?? json.details
    }
    assert.deepEqual([await idsOf('name=gone'), await idsOf('known=false')], [[gone], [gone]])
    assert.deepEqual(await idsOf('known=true'), [second, first])
    assert.match((await idsOf('name=none')).name[0], /'name' must be one of: receipt, not 'none'/)
    const run = await api(app, 'POST', 'jobs/receipt/run', { input: { number: '2' }, key: 'one' })
    assert.equal(run.json.data.id, first)
    assert.deepEqual(
      (await all('queuedjob')).map(({ status }) => status),
      ['waiting', 'failed', 'failed'],
    )
  },
)

tests('run_at is a time in ISO 8601, in UTC without an offset', async ({ app }) => {
  const at = async (runAt: unknown) => {
    const { status, json } = await api(app, 'POST', 'jobs/receipt/run', { input: { number: '1' }, run_at: runAt })
    return status === 202 ? json.data.run_at : status
  }
  assert.equal(await at('2030-06-01T06:00'), '2030-06-01T06:00:00.000Z')
  assert.equal(await at('2030-06-01T06:00:00+02:00'), '2030-06-01T04:00:00.000Z')
  assert.equal(await at('1999-01-01'), '1999-01-01T00:00:00.000Z')
  for (const wrong of ['banana 1', '1', '+275760-09-13T00:00:00Z', 'June 2030', '', null, 5])
    assert.equal(await at(wrong), 400, String(wrong))
})

tests('the date of a job in code lies before the year 10000, since later ones sort before it', async ({ app }) => {
  const { signal } = new AbortController()
  const store = (run_at: Date) =>
    app.app.scriptContext('scripts/a.ts', signal).enqueue({ name: 'receipt', run() {} }, { number: '1' }, { run_at })
  await store(new Date('9999-12-31T23:59:59Z'))
  for (const wrong of [Date.UTC(10_000, 0), 8.64e15, -1, Number.NaN])
    await assert.rejects(store(new Date(wrong)), /run_at must be a valid Date/)
})

test('a project without jobs has no routes of jobs', () =>
  withShop(async ({ app }) => assert.equal((await api(app, 'GET', 'jobs')).status, 404), {}))

const job = (members: string) => `import { defineJob } from 'admin-folder'\nexport default defineJob({ ${members} })\n`

tests(
  'a job that takes too long is aborted and fails; a user without permission is refused',
  async ({ app, all, seen, until, as, call }) => {
    await call('POST', 'group', { name: 'clerks', permissions: await as.permissions('add_order', 'view_order', 'view_product') })
    await as.user('clerk', 'clerks')
    await app.app.begin()
    const slow = await api(app, 'POST', 'jobs/slow/run', {})
    await until(async () => seen().includes('begun'))
    app.advance(2100)
    await until(async () => (await all('queuedjob'))[0].status === 'failed')
    await until(async () => seen().length > 2)
    assert.deepEqual(seen().slice(0, 2), ['begun', 'aborted'])
    assert.match(seen()[2], /took more than 2 s/, 'an attempt that is over writes no more')
    assert.match((await all('queuedjob'))[0].error, /^jobs\/slow\.ts:2 slow took more than 2 s$/)
    assert.equal(slow.status, 202)
    assert.equal((await call('POST', 'order', order(1), undefined, 'clerk')).status, 201)
    await until(async () => (await all('queuedjob')).some(({ name, status }) => name === 'nosy' && status === 'failed'))
    assert.match((await all('queuedjob')).find(({ name }) => name === 'nosy').error, /permission/)
    app.reported.length = 0
  },
  {
    'jobs/slow.ts': job(`name: 'slow', timeout: '2s', attempts: 1, run(_, ctx) {
      globalThis.seen.push('begun')
      return new Promise(() => ctx.signal.addEventListener('abort', () => {
        globalThis.seen.push('aborted')
        ctx.system.model('ledger').create({ text: 'late' }).then(() => 'stored', String).then((said) => globalThis.seen.push(said))
      }))
    }`),
    'jobs/nosy.ts': job(`name: 'nosy', attempts: 1, run: (_, ctx) => ctx.model('ledger').list()`),
    'hooks/order.ts': `import { defineHooks } from 'admin-folder'
export default defineHooks('order', { beforeCreate: (_, tx) => tx.enqueue({ name: 'nosy' }, {}) })
`,
  },
)

tests(
  'jobs that store jobs end at the sixth, with the chain in the message',
  async ({ app, all, until }) => {
    await app.app.begin()
    await api(app, 'POST', 'jobs/ping/run', {})
    await until(async () => (await all('queuedjob')).some(({ status }) => status === 'failed'))
    const jobs = await all('queuedjob')
    assert.equal(jobs.length, 6)
    assert.equal(
      jobs.at(-1).error,
      `Writes of code cause each other without end: ${Array(6).fill('jobs/ping.ts ping').join(' → ')}`,
    )
    app.reported.length = 0
  },
  { 'jobs/ping.ts': job(`name: 'ping', attempts: 1, run: (_, ctx) => ctx.enqueue({ name: 'ping' }, {})`) },
)

tests(
  'a job whose process is gone is taken over when its lease has ended; one that is renewed is not',
  async (shop) => {
    const { app, all, seen, until } = shop
    await app.app.begin()
    await api(app, 'POST', 'jobs/long/run', {})
    await until(async () => seen().length === 1)
    for (let seconds = 0; seconds < 60; seconds += 5) {
      app.advance(5000)
      await until(async () => app.time.waits().some((wait) => wait > 250 && wait <= 10_000))
    }
    const [{ due_at: leased }] = await all('queuedjob')
    assert.equal(Date.parse(leased) - app.time.clock(), 30_000)
    assert.deepEqual(seen(), [1])
    // As if its process had gone: another one has it.
    const [{ id }] = await all('queuedjob')
    const { records } = app.app
    await records.commitInternal([{ kind: 'update', table: 'queuedjob', id, values: { holder: 'another' } }])
    app.advance(10_000)
    await until(async () => seen().includes('aborted'))
    await records.commitInternal([
      { kind: 'update', table: 'queuedjob', id, values: { due_at: new Date(app.time.clock()).toISOString() } },
    ])
    await moving(shop, async () => seen().includes(2))
    assert.deepEqual(seen(), [1, 'aborted', 2])
    const [taken] = await all('queuedjob')
    assert.deepEqual([taken.lost, taken.failures, taken.status], [1, 0, 'running'])
    let isStopped = false
    void app.app.jobs.stop().then(() => {
      isStopped = true
    })
    await moving(shop, async () => isStopped)
    const [stopped] = await all('queuedjob')
    assert.deepEqual([stopped.status, stopped.failures, stopped.slot], ['waiting', 0, null])
  },
  {
    'jobs/long.ts': job(`name: 'long', run(_, ctx) {
      globalThis.seen.push(ctx.job.attempt)
      return new Promise(() => ctx.signal.addEventListener('abort', () => globalThis.seen.push('aborted')))
    }`),
  },
)

test('a process that alone works on its store begins with the jobs that a killed one has left', { skip: NEEDS_DATA_FOLDER }, () =>
  withShop(async ({ app, all, until }) => {
    await api(app, 'POST', 'jobs/receipt/run', { input: { number: 'O-1' } })
    const [{ id }] = await all('queuedjob')
    const leased = new Date(app.time.clock() + 30_000).toISOString()
    const values = { status: 'running', holder: 'gone', attempt: 1, due_at: leased }
    await app.app.records.commitInternal([{ kind: 'update', table: 'queuedjob', id, values }])
    await app.app.begin()
    await until(async () => (await all('queuedjob'))[0].status === 'done')
    const [{ attempt, lost }] = await all('queuedjob')
    assert.deepEqual([attempt, lost], [2, 1])
  }, RECEIPT),
)

tests(
  'a lost job that may run once at a time is taken over, though others of its name have waited for longer',
  async (shop) => {
    const { app, all } = shop
    for (let count = 0; count < 6; count++) await api(app, 'POST', 'jobs/alone/run', {})
    const [{ id }] = await all('queuedjob')
    const leased = new Date(app.time.clock() + 1000).toISOString()
    const values = { status: 'running', holder: 'gone', slot: 'alone 0', attempt: 1, due_at: leased }
    await app.app.records.commitInternal([{ kind: 'update', table: 'queuedjob', id, values }])
    app.advance(5000)
    await app.app.begin()
    await moving(shop, async () => (await all('queuedjob')).every(({ status }) => status === 'done'))
    assert.equal((await all('queuedjob'))[0].attempt, 2)
  },
  { 'jobs/alone.ts': job(`name: 'alone', concurrency: 1, run() {}`) },
)

tests(
  'what a job does in a transaction is stored together, with the hooks of the models, and again after a conflict',
  async ({ app, all, seen, until }) => {
    await app.app.begin()
    await api(app, 'POST', 'jobs/sell/run', { input: { quantity: 2 } })
    await until(async () => (await all('queuedjob')).every(({ status }) => status === 'done'))
    assert.deepEqual(
      (await all('ledger')).map(({ order_id: id, text }) => [id, text]),
      [[1, 'sold by job']],
    )
    assert.deepEqual(
      (await all('product')).map(({ stock }) => stock),
      [3, 9],
    )
    assert.equal((await all('order'))[0].total, 14)
    await api(app, 'POST', 'jobs/sell/run', { input: { quantity: 100 } })
    await until(async () => (await all('queuedjob')).some(({ status }) => status === 'failed'))
    assert.match((await all('queuedjob')).at(-1).error, /Not so many/)
    assert.equal((await all('order')).length, 1)
    assert.deepEqual(seen(), ['run', 'run', 'run'])
    app.reported.length = 0
  },
  {
    'hooks/order.ts': `import { defineHooks } from 'admin-folder'
export default defineHooks('order', { compute: { total: ({ quantity, price }) => quantity * price } })
`,
    'jobs/sell.ts': job(`name: 'sell', attempts: 1, input: [{ name: 'quantity', type: 'integer', required: true }],
  run: ({ quantity }, ctx) =>
    ctx.transaction(async (tx) => {
      globalThis.seen.push('run')
      const product = await tx.model('product').read(1)
      // The first attempt is overtaken.
      if (globalThis.seen.length === 1) await ctx.model('product').update(1, { stock: product.stock })
      if (globalThis.seen.length === 1) await ctx.model('product').update(1, { name: 'Pencil' })
      const id = tx.model('order').create({ product_id: 1, quantity, price: 7 })
      tx.model('ledger').create({ order_id: id, text: 'sold by ' + tx.via })
      tx.model('product').update(1, { stock: product.stock - quantity })
      if (quantity > 10) throw new Error('Not so many')
    })`),
  },
)
