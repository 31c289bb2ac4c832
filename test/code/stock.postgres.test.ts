import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../src/store/postgres/sql.ts'
import { ADMIN_SEED } from '../helpers/api/app.ts'
import { hooksOf, SHOP_MODELS } from '../helpers/code/shop.ts'
import { repetitions } from '../helpers/counts.ts'
import { NO_POSTGRES } from '../helpers/postgres/server.ts'
import { openTwoApps, type SharingApp } from '../helpers/postgres/two-apps.ts'
import { twoServers } from '../helpers/postgres/two-servers.ts'

const CLIENTS = 16
const SALES = repetitions(400, 1000)
const STOCK = SALES / 2
const ROUNDS = repetitions(1, 20)

const FILES = {
  ...SHOP_MODELS,
  ...hooksOf({
    order: `{
  async beforeCreate({ record, ref }, tx) {
    const products = tx.system.model('product')
    const product = await products.read(record.product_id)
    if (product.stock < 1) refuse('Sold out', 409)
    products.update(product.id, { stock: product.stock - 1 })
    tx.system.model('ledger').create({ order_id: ref, text: 'sold at ' + product.stock })
    // Two sales that have read the same stock make the same unique number.
    return { number: record.price + '-' + product.stock }
  },
}`,
  }),
}

/** A hook that has read a product waits. */
const WAITING = `{
  async beforeCreate({ record }, tx) {
    const { id } = await tx.system.model('product').read(record.product_id)
    await globalThis.reach(id)
  },
}`

describe('hooks in two processes', { skip: NO_POSTGRES }, () => {
  test(`${CLIENTS} clients try to sell a stock of ${STOCK} ${SALES} times`, async () => {
    await twoServers(
      async ({ servers, request }) => {
        const product = await request(servers[0], 'POST', 'models/product', { data: { name: 'Pen', stock: STOCK } })
        assert.equal(product.status, 201)
        const { id } = product.json.data
        for (let round = 1; round <= ROUNDS; round++) {
          assert.equal((await request(servers[0], 'PUT', `models/product/${id}`, { data: { stock: STOCK } })).status, 200)
          let left = SALES
          const statuses = new Map<number, number>()
          const client = async (number: number) => {
            while (left-- > 0) {
              const data = { product_id: id, quantity: 1, price: round }
              const { status, json } = await request(servers[number % 2 === 0 ? 0 : 1], 'POST', 'models/order', { data })
              if (status === 409) assert.equal(json.details, 'Sold out')
              statuses.set(status, (statuses.get(status) ?? 0) + 1)
            }
          }
          await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)))
          assert.deepEqual(Object.fromEntries(statuses), { 201: STOCK, 409: SALES - STOCK })
          assert.equal((await request(servers[1], 'GET', `models/product/${id}`)).json.data.stock, 0)
          const ledger = await request(servers[0], 'GET', 'models/ledger?page_size=1&filters=order_id__isnull=false')
          assert.equal(ledger.json.total, round * STOCK)
        }
      },
      { files: FILES },
    )
  })

  test('writes that were overtaken take turns, one in all processes', async () => {
    await using apps = await openTwoApps({ files: { ...FILES, ...ADMIN_SEED, ...hooksOf({ order: WAITING }) } })
    const { a, b, database, schema } = apps
    const login = await a.send('POST', 'auth/token', { body: { username: 'admin', password: 'a-long-password' } })
    const token: string = login.json.access_token
    const product = async () => {
      const { json } = await a.send('POST', 'models/product', { token, body: { data: { name: 'Pen', stock: 1 } } })
      return Number(json.data.id)
    }
    const [first, second] = [await product(), await product()]
    /** The products of which the hooks of orders run, in order. */
    const runs: number[] = []
    let begin = () => {}
    const hasBegun = new Promise<void>((resolve) => {
      begin = resolve
    })
    let end = () => {}
    const isOver = new Promise<void>((resolve) => {
      end = resolve
    })
    const reach = async (id: number) => {
      const isFirst = !runs.includes(id)
      runs.push(id)
      // Another write overtakes the first run.
      if (isFirst)
        assert.equal((await a.send('PUT', `models/product/${id}`, { token, body: { data: { stock: 2 } } })).status, 200)
      if (isFirst || id !== first) return
      begin()
      await isOver
    }
    Object.assign(globalThis, { reach })
    const order = ({ send }: SharingApp, id: number) =>
      send('POST', 'models/order', { token, body: { data: { product_id: id, quantity: 1, price: 1 } } })
    const orders = [order(a, first)]
    await hasBegun
    orders.push(order(b, second))
    const isAwaited = async () => {
      const { rows } = await database.query(sql`select from pg_locks where locktype = 'advisory' and not granted
        and (classid::bigint << 32) | objid::bigint = hashtextextended(${`admin-folder turn ${schema}`}, 0)`)
      return rows.length > 0
    }
    while (!(await isAwaited())) assert.ok(runs.length < 4, 'the second order has run again')
    assert.deepEqual(runs, [first, first, second])
    end()
    assert.deepEqual(
      (await Promise.all(orders)).map(({ status }) => status),
      [201, 201],
    )
    assert.deepEqual(runs, [first, first, second, second])
  })
})
