import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { startReceiver } from '../helpers/api/receiver.ts'
import { type RunningServer, startServer } from '../helpers/cli/process.ts'
import { SHOP_MODELS } from '../helpers/code/shop.ts'
import { repetitions } from '../helpers/counts.ts'
import { databaseProject, succeeded } from '../helpers/postgres/cli-project.ts'
import { NO_POSTGRES } from '../helpers/postgres/server.ts'

/** A new product with an order, and a deletion. */
const BATCH = {
  operations: [
    { method: 'create', model: 'product', data: { name: 'Cap', stock: 1 }, ref: 'cap' },
    { method: 'create', model: 'order', data: { product_id: { $ref: 'cap' }, quantity: 1, price: 1 } },
    { method: 'delete', model: 'order', id: 1 },
  ],
}

/** The points at which a hook kills the process, and the request that reaches it. */
const POINTS: readonly (readonly [point: string, method: string, path: string, body: object])[] = [
  ...['begin', 'read', 'update', 'create', 'return', 'ledger', 'compute', 'validate'].map(
    (point) => [point, 'POST', 'order', { data: { product_id: 1, quantity: 1, price: 1 } }] as const,
  ),
  ['second', 'POST', 'order/bulk', { records: [1, 2].map((quantity) => ({ product_id: 1, quantity, price: 1 })) }],
  // Two points, one for each engine.
  ...['return', 'ledger'].map((point) => [point, 'POST', '../batch', BATCH] as const),
  ['change', 'PUT', 'product/1', { data: { stock: 3 } }],
  ['remove', 'DELETE', 'product/2', {}],
  ['cascade', 'DELETE', 'product/1', {}],
]

/** In the suites, each engine has every second point. */
const pointsOf = (engine: string) =>
  POINTS.filter((_, index) => index % repetitions(2, 1) === (engine === 'embedded' ? 0 : repetitions(1, 0)))

const FILES = {
  ...SHOP_MODELS,
  // Jobs are stored and not run, so that they can be counted.
  'admin.config.yaml': 'history: { days: 90 }\nrate_limits: { default: 0 }\njobs: { run: false }\n',
  'jobs/receipt.ts': `// @ts-nocheck
import { defineJob } from 'admin-folder'
export default defineJob({ name: 'receipt', run() {} })
`,
  'seed/product.yaml': '- { name: Pen, stock: 5 }\n- { name: Ink, stock: 9 }\n',
  'seed/order.yaml': '- { product_id: 1, quantity: 7, price: 1 }\n',
  'lib/kill.ts': `export const at = (point) => { if (process.env.KILL_AT === point) process.kill(process.pid, 'SIGKILL') }\n`,
  'hooks/order.ts': `// @ts-nocheck
import { defineHooks } from 'admin-folder'
import receipt from '../jobs/receipt.ts'
import { at } from '../lib/kill.ts'
export default defineHooks('order', {
  compute: { total: ({ quantity }) => { at('compute'); return quantity } },
  async beforeCreate({ record, ref }, tx) {
    at('begin')
    await tx.enqueue(receipt, {})
    const products = tx.system.model('product')
    const product = await products.read(1)
    at('read')
    products.update(1, { stock: product.stock - 1 })
    at('update')
    tx.system.model('ledger').create({ order_id: ref, text: 'sold' })
    at('create')
    if (record.quantity === 2) at('second')
    await null
    at('return')
  },
  validate: () => at('validate'),
  beforeDelete: () => at('cascade'),
})
`,
  'hooks/ledger.ts': `// @ts-nocheck
import { defineHooks } from 'admin-folder'
import { at } from '../lib/kill.ts'
export default defineHooks('ledger', { beforeCreate: () => at('ledger') })
`,
  'hooks/product.ts': `// @ts-nocheck
import { defineHooks } from 'admin-folder'
import receipt from '../jobs/receipt.ts'
import { at } from '../lib/kill.ts'
export default defineHooks('product', {
  beforeUpdate: async (_, tx) => {
    await tx.enqueue(receipt, {})
    at('change')
  },
  beforeDelete: async ({ before }, tx) => {
    await tx.enqueue(receipt, {})
    if (before.id === 2) at('remove')
  },
  afterCommit: () => at('committed'),
})
`,
}

/** Of the receiver of events. */
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='

describe('a process that is killed while hooks run', { skip: NO_POSTGRES, timeout: 300_000 }, () => {
  for (const engine of ['embedded', 'postgres']) {
    test(`stores nothing before the commit, and everything after it (${engine})`, async () => {
      await using receiver = await startReceiver(200)
      const subscription = `{ url: '${receiver.url}', models: [product, order, ledger], secret: ${SECRET} }`
      const config = `${FILES['admin.config.yaml']}webhooks: [${subscription}]\n`
      const project = await databaseProject({ ...FILES, 'admin.config.yaml': config })
      const { ADMIN_SECRET_KEY = '' } = project.env
      const env = engine === 'postgres' ? project.env : { ADMIN_SECRET_KEY }
      let server: RunningServer | undefined
      const start = async (point: string) => {
        server = await startServer(['--project', project.folder.path], { env: { ...env, KILL_AT: point } })
        return server.address
      }
      let authorization = ''
      const request = (address: string, method: string, path: string, body?: object) =>
        fetch(`${address}/api/v1/models/${path}`, {
          method,
          headers: { authorization, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
      /** The numbers of stored records, jobs and entries of the history, and the stocks. */
      const state = async (address: string) => {
        const pageOf = async (path: string) => {
          const reply = await fetch(`${address}/api/v1/${path}?page_size=10`, { headers: { authorization } })
          return (await reply.json()) as { readonly data: readonly { readonly stock?: number }[]; readonly total: number }
        }
        const lists = ['models/product', 'models/order', 'models/ledger', 'jobs', 'history']
        const [products, ...others] = await Promise.all(lists.map(pageOf))
        const [orders, ledger, jobs, history] = others.map(({ total }) => total)
        return { stocks: products?.data.map(({ stock }) => stock), orders, ledger, jobs, history }
      }
      try {
        succeeded(
          await project.admin(['users', 'add', 'root', '--email', 'r@example.com', '--superuser', '--password-stdin'], { env }),
        )
        let address = await start('')
        authorization = `Bearer ${succeeded(await project.admin(['token'], { env })).trim()}`
        const before = await state(address)
        await server?.stop()
        let last = 'the start'
        for (const [point, method, path, body] of pointsOf(engine)) {
          address = await start(point)
          assert.deepEqual(await state(address), before, `killed at ${last}`)
          await assert.rejects(request(address, method, path, body), `killed at ${point}`)
          if (server !== undefined && server.child.signalCode === null) await once(server.child, 'close')
          last = point
        }
        address = await start('committed')
        assert.deepEqual(await state(address), before, `killed at ${last}`)
        await request(address, 'POST', 'order', { data: { product_id: 1, quantity: 1, price: 1 } }).catch(() => {})
        if (server !== undefined && server.child.signalCode === null) await once(server.child, 'close')
        address = await start('')
        const { stocks = [], orders = 0, ledger = 0, jobs = 0, history = 0 } = before
        // An order, its line of the ledger and the product are written, with a job of the order and one of the product.
        assert.deepEqual(await state(address), {
          ...{ stocks: [Number(stocks[0]) - 1, stocks[1]], orders: orders + 1, ledger: ledger + 1 },
          ...{ jobs: jobs + 2, history: history + 3 },
        })
        // Events of killed attempts would have been sent by the servers that were started since.
        await receiver.arrived(3)
        await server?.stop()
        const events = receiver.received.map(({ headers, body }) => `${headers['webhook-id']} ${JSON.parse(body).model}`)
        const models = [...new Set(events)].map((event) => event.split(' ')[1])
        assert.deepEqual(models.sort(), ['ledger', 'order', 'product'])
      } finally {
        if (server?.child.exitCode === null && server.child.signalCode === null) await server.stop()
        await project.remove()
      }
    })
  }
})
