import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  APPEARS,
  CHANGES,
  deletionOf,
  IS_DELETED,
  LEAVES,
  REFERS,
  type Seen,
  type Send,
  waitingHooks,
} from '../helpers/code/late-cascades.ts'
import { withShop } from '../helpers/code/shop.ts'
import { repetitions } from '../helpers/counts.ts'

const LATE = repetitions(100, 10_000)
const FEW = repetitions(20, 1000)

/**
 * What another request does while a hook waits, and the number of runs of the hooks. The transaction looks for the cascade after the hooks of each
 * deletion; while the ledger validates, only the commit can notice a change.
 */
const ROWS = [
  { during: 'product', late: APPEARS, runs: 1, times: FEW },
  { during: 'order', late: APPEARS, runs: 1, times: FEW },
  { during: 'ledger', late: APPEARS, runs: 2, times: LATE },
  { during: 'ledger', late: CHANGES, runs: 2, times: FEW },
  { during: 'ledger', late: LEAVES, runs: 2, times: FEW },
  { during: 'ledger', late: IS_DELETED, runs: 2, times: FEW },
  { during: 'ledger', late: REFERS, runs: 2, times: FEW },
]

const HOOKS = waitingHooks({
  product: `globalThis.reach('product')`,
  order: `globalThis.reach('order', before.id)`,
  ledger: `globalThis.reach('ledger')`,
})

describe('while a hook of a deletion waits', () => {
  for (const { during, late, runs: count, times } of ROWS) {
    test(`${late.name}: hooks of ${during}, ${times} times`, () =>
      withShop(async ({ call }) => {
        const send: Send = async (method, path, data) => {
          const { status, json, text } = await call(method, path, data)
          assert.ok(status === 200 || status === 201, text)
          return json.data
        }
        let last = 0
        for (let race = 0; race < times; race++) {
          const { id: product } = await send('POST', 'product', { name: 'Pen', stock: 1 })
          const { id: order } = await send('POST', 'order', { product_id: product, quantity: 1, price: 1 })
          /** The orders whose hooks each run has called. */
          const runs: number[][] = []
          let seen: Promise<Seen> | undefined
          const reach = async (hook: string, id?: number) => {
            if (hook === 'product') runs.push([])
            if (id !== undefined) runs.at(-1)?.push(id)
            if (hook !== during || seen !== undefined) return
            seen = late.write({ product, order, send })
            await seen
          }
          Object.assign(globalThis, { reach })
          const { method, path, data, status } = deletionOf(product, race)
          const deleted = await call(method, path, data)
          assert.equal(deleted.status, status, deleted.text)
          const { json } = await call('GET', `ledger?sort_by=id&filters=id__gt=${last}`)
          const entries: readonly string[] = json.data.map(({ text }: { readonly text: string }) => text)
          assert.deepEqual({ called: runs.at(-1), entries }, await seen)
          assert.equal(runs.length, count)
          last = json.data.at(-1)?.id ?? last
        }
        assert.equal((await call('GET', 'order?page_size=1')).json.total, late === LEAVES ? times : 0)
      }, HOOKS))
  }
})
