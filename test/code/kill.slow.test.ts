import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { type RunningServer, startServer } from '../helpers/cli/process.ts'
import { SHOP_MODELS } from '../helpers/code/shop.ts'
import { databaseProject, succeeded } from '../helpers/postgres/cli-project.ts'
import { NO_POSTGRES } from '../helpers/postgres/server.ts'

/** The points at which a hook kills the process, and the request that reaches it. */
const POINTS: readonly (readonly [point: string, method: string, path: string, body: object])[] = [
  ...['begin', 'read', 'update', 'create', 'return', 'ledger', 'compute', 'validate'].map(
    (point) => [point, 'POST', 'order', { data: { product_id: 1, quantity: 1, price: 1 } }] as const,
  ),
  ['second', 'POST', 'order/bulk', { records: [1, 2].map((quantity) => ({ product_id: 1, quantity, price: 1 })) }],
  ['change', 'PUT', 'product/1', { data: { stock: 3 } }],
  ['remove', 'DELETE', 'product/2', {}],
  ['cascade', 'DELETE', 'product/1', {}],
]

const FILES = {
  ...SHOP_MODELS,
  'admin.config.yaml': 'history: { days: 90 }\nrate_limits: { default: 0 }\n',
  'seed/product.yaml': '- { name: Pen, stock: 5 }\n- { name: Ink, stock: 9 }\n',
  'seed/order.yaml': '- { product_id: 1, quantity: 7, price: 1 }\n',
  'lib/kill.ts': `export const at = (point) => { if (process.env.KILL_AT === point) process.kill(process.pid, 'SIGKILL') }\n`,
  'hooks/order.ts': `// @ts-nocheck
import { defineHooks } from 'admin-folder'
import { at } from '../lib/kill.ts'
export default defineHooks('order', {
  compute: { total: ({ quantity }) => { at('compute'); return quantity } },
  async beforeCreate({ record, ref }, tx) {
    at('begin')
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
import { at } from '../lib/kill.ts'
export default defineHooks('product', {
  beforeUpdate: () => at('change'),
  beforeDelete: ({ before }) => before.id === 2 && at('remove'),
  afterCommit: () => at('committed'),
})
`,
}

describe('a process that is killed while hooks run', { skip: NO_POSTGRES, timeout: 300_000 }, () => {
  for (const engine of ['embedded', 'postgres']) {
    test(`stores nothing before the commit, and everything after it (${engine})`, async () => {
      const project = await databaseProject(FILES)
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
      const state = async (address: string) => {
        const totals = await Promise.all(
          ['product', 'order', 'ledger'].map(async (model) => {
            const { data, total } = (await (await request(address, 'GET', model)).json()) as {
              data: { stock?: number }[]
              total: number
            }
            return [model, total, ...data.map(({ stock }) => stock)]
          }),
        )
        const history = await fetch(`${address}/api/v1/history?page_size=1`, { headers: { authorization } })
        return JSON.stringify([totals, ((await history.json()) as { total: number }).total])
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
        for (const [point, method, path, body] of POINTS) {
          address = await start(point)
          assert.equal(await state(address), before, `killed at ${last}`)
          await assert.rejects(request(address, method, path, body), `killed at ${point}`)
          if (server !== undefined && server.child.signalCode === null) await once(server.child, 'close')
          last = point
        }
        address = await start('committed')
        assert.equal(await state(address), before, `killed at ${last}`)
        await request(address, 'PUT', 'product/1', { data: { stock: 77 } }).catch(() => {})
        if (server !== undefined && server.child.signalCode === null) await once(server.child, 'close')
        address = await start('')
        assert.match(await state(address), /77/)
      } finally {
        if (server?.child.exitCode === null && server.child.signalCode === null) await server.stop()
        await project.remove()
      }
    })
  }
})
