import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withShop } from '../helpers/code/shop.ts'
import { call, keyOf } from '../security/keys/keyed-project.ts'

const CODE = {
  'jobs/receipt.ts': `import { defineJob } from 'admin-folder'
export default defineJob({
  name: 'receipt',
  async run(_, ctx) {
    globalThis.seen.push([ctx.actor?.username, ctx.actor?.is_superuser, ctx.actor?.can('add_order'), ctx.actor?.can('view_ledger')])
  },
})
`,
  'hooks/order.ts': `import { defineHooks } from 'admin-folder'
import receipt from '../jobs/receipt.ts'
export default defineHooks('order', {
  async beforeCreate(_, tx) {
    await tx.enqueue(receipt, {})
  },
})
`,
}

test('a job has the scopes of the key that it was enqueued with, and no rights once the key is revoked', () =>
  withShop(async ({ app, all, seen, until }) => {
    const order = { data: { product_id: 1, quantity: 1, price: 1 } }
    const [good, revoked] = [await keyOf(app, 'admin', ['add_order']), await keyOf(app, 'admin', ['add_order'])]
    for (const { key } of [good, revoked]) {
      const { status, json } = await call(app, key, 'POST /api/v1/models/order', order)
      assert.equal(status, 201, JSON.stringify(json))
    }
    assert.equal((await call(app, 'admin', `DELETE /api/v1/auth/keys/${revoked.id}`)).status, 200)
    await app.app.begin()
    await until(async () => (await all('queuedjob')).every(({ status }) => status === 'done'))
    assert.deepEqual(
      seen().toSorted(),
      [
        [undefined, undefined, undefined, undefined],
        ['admin', false, true, false],
      ].toSorted(),
    )
  }, CODE))
