import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ADMIN_SEED } from '../helpers/api/app.ts'
import { hooksOf, SHOP_MODELS } from '../helpers/code/shop.ts'
import { repetitions } from '../helpers/counts.ts'
import { NO_POSTGRES } from '../helpers/postgres/server.ts'
import { openTwoApps } from '../helpers/postgres/two-apps.ts'

const ORDERS = repetitions(3000, 100_000)
const AT_ONCE = 1000

const FILES = {
  ...SHOP_MODELS,
  ...ADMIN_SEED,
  ...hooksOf({
    order: `{
  async beforeUpdate({ record }, tx) {
    const product = await tx.model('product').read(record.product_id)
    return { price: product.stock }
  },
}`,
  }),
}

describe('hooks that read', { skip: NO_POSTGRES }, () => {
  test(`${ORDERS} hooks of one request, each with a read of another record, add two statements for 1,000 of them`, async () => {
    await using apps = await openTwoApps({ files: FILES })
    const { a } = apps
    const login = await a.send('POST', 'auth/token', { body: { username: 'admin', password: 'a-long-password' } })
    const token: string = login.json.access_token
    const send = async (method: 'POST' | 'PUT', model: string, body: object, expected: number) => {
      const { status, json } = await a.send(method, `models/${model}/bulk`, { token, body })
      assert.equal(status, expected, JSON.stringify(json).slice(0, 500))
    }
    for (let from = 1; from <= ORDERS; from += AT_ONCE) {
      const numbers = Array.from({ length: AT_ONCE }, (_, index) => from + index)
      const products = numbers.map((number) => ({ name: `Pen ${number}`, stock: number }))
      await send('POST', 'product', { records: products }, 201)
      const orders = numbers.map((number) => ({ product_id: number, quantity: 1, price: 0 }))
      await send('POST', 'order', { records: orders }, 201)
    }

    /** Updates all records of a model. @returns the statements of the request, less those that the process may send besides in that time */
    const statementsOf = async (model: string, filter: string, data: object): Promise<{ least: number; most: number }> => {
      const [before, startedAt] = [a.statements(), performance.now()]
      await send('PUT', model, { filters: [filter], expected_total: ORDERS, data }, 200)
      const most = a.statements() - before
      // The process renews entries and leases, and reads its queue, at most each 125 ms.
      return { least: most - 3 - Math.ceil((performance.now() - startedAt) / 125), most }
    }
    // Products have no hooks.
    const without = await statementsOf('product', 'stock__gte=1', { name: 'Pencil' })
    const hooked = await statementsOf('order', 'quantity=1', { quantity: 2 })
    const added = hooked.least - without.most
    assert.ok(added <= (2 * ORDERS) / AT_ONCE, `${JSON.stringify({ hooked, without })}`)
    const last = await a.send('GET', `models/order/${ORDERS}`, { token })
    assert.deepEqual([last.json.data.quantity, last.json.data.price], [2, ORDERS])
  })
})
