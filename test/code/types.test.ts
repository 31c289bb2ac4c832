import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { typesOf } from '../../src/openapi/typescript.ts'
import { typeCheck } from '../helpers/types/type-check.ts'
import { projectOf } from '../openapi/documents.ts'

const MODELS = {
  'models/shop.yaml': `- name: Product
  fields:
    - { name: name, type: string, required: true }
    - { name: stock, type: integer, required: true }
- name: Order
  fields:
    - { name: number, type: string }
    - { name: product_id, type: foreignkey, model: product, required: true }
    - { name: quantity, type: integer, required: true }
    - { name: status, type: choice, choices: [new, paid] }
    - { name: total, type: number }
`,
}

const COMPUTING = {
  'hooks/order.js':
    "import { defineHooks } from 'admin-folder'\nexport default defineHooks('order', { compute: { total: () => 1 } })\n",
}

const BY_KEY = `import { defineHooks, refuse } from 'admin-folder'

export const order = defineHooks('order', {
  compute: { total: ({ quantity, id }) => quantity * id },
  async beforeCreate({ record, ref, secrets, form }, tx) {
    const product = await tx.system.model('product').read(record.product_id)
    if (product === undefined || product.stock < record.quantity) refuse({ quantity: 'Not in stock' })
    tx.system.model('product').update(product.id, { stock: product.stock - 1 })
    // @ts-expect-error a stock is a number
    tx.system.model('product').update(product.id, { stock: '1' })
    const copy = tx.model('order').create({ product_id: product.id, quantity: 1 })
    // @ts-expect-error the id of a new record is no number
    tx.model('order').update(copy, { quantity: 2 })
    // @ts-expect-error the product is mandatory
    tx.model('order').create({ quantity: 1 })
    // @ts-expect-error no model has this key
    tx.model('ordr')
    const names: string[] = [form ?? '', secrets.password ?? '', tx.actor?.username ?? '', tx.via]
    return { number: names.join() }
  },
  beforeUpdate({ before, changed }) {
    if (before.status === 'paid' && changed.has('quantity')) refuse('A paid order stays as it is', 409)
  },
  // @ts-expect-error the status is none of the choices
  beforeDelete: ({ before }) => refuse(before.status === 'lost' ? 'No' : 'Yes'),
  validate: ({ record, before }) => (before?.status === 'paid' && record.status === 'new' ? { status: 'No' } : undefined),
  async afterCommit(changes, { model }) {
    for (const { after } of changes) if (after !== undefined) await model('order').update(after.id, { number: '1' })
  },
})

// @ts-expect-error no model has this key
export const unknown = defineHooks('ordr', {})
// @ts-expect-error the total is a number
export const wrong = defineHooks('order', { compute: { total: () => 'much' } })
// @ts-expect-error the model has no such field
export const misspelt = defineHooks('order', { compute: { totl: () => 1 } })
// @ts-expect-error a hook sets fields of the model
export const patched = defineHooks('order', { beforeCreate: () => ({ numbr: '1' }) })
`

const BY_MODEL = `import { defineHooks, defineModel } from 'admin-folder'

const Order = defineModel({
  name: 'Order',
  fields: [
    { name: 'quantity', type: 'integer', required: true },
    { name: 'total', type: 'number' },
  ],
})
export default defineHooks(Order, {
  compute: { total: ({ quantity }) => (quantity ?? 0) * 2 },
  beforeCreate: ({ record }) => ({ quantity: (record.quantity ?? 0) + 1 }),
  validate: ({ record }) => ((record.quantity ?? 0) > 9 ? { quantity: 'Too many' } : undefined),
})
// @ts-expect-error the model has no such field
export const wrong = defineHooks(Order, { beforeCreate: () => ({ quantty: 1 }) })
`

describe('defineHooks', () => {
  test('knows the models that admin types has written, also while hooks compute a field', async () => {
    for (const files of [MODELS, { ...MODELS, ...COMPUTING }]) {
      const types = typesOf(await projectOf(files))
      assert.equal(await typeCheck({ 'admin.ts': types, 'hooks/order.ts': BY_KEY }), '')
    }
  })

  test('takes any key, and values of any type, before', async () => {
    const hooks = `import { defineHooks } from 'admin-folder'
export default defineHooks('order', {
  compute: { total: ({ quantity }) => Number(quantity) * 2 },
  beforeCreate(_, tx) { tx.model('ledger').create({ text: 'sold' }) },
  async beforeUpdate({ record }) { if (record.total === 1) return { total: 2 } },
})
`
    assert.equal(await typeCheck({ 'hooks/order.ts': hooks }), '')
  })

  test('knows the fields of a model in TypeScript', async () => {
    assert.equal(await typeCheck({ 'hooks/order.ts': BY_MODEL }), '')
  })
})

const BY_THE_CONTRACT = `import { type Access, defineAction, defineEndpoint, defineHooks, defineJob, defineModel, type Job, type Script, type Tx } from 'admin-folder'

const Order = defineModel({
  name: 'Order',
  fields: [
    { name: 'number', type: 'string', required: true },
    { name: 'status', type: 'choice', choices: ['new', 'paid'] },
  ],
})
async function audit(_: unknown, tx: Tx): Promise<void> {
  tx.model('ledger').create({ text: 'changed' })
}
export const hooks = defineHooks(Order, { beforeCreate: (_, tx) => tx.log.info('created'), beforeUpdate: audit, validate: audit })

const ID = [{ name: 'id', type: 'integer', required: true }] as const
const access: Access = 'public'
export const renew = defineAction(Order, { name: 'renew', title: 'Renew', run: (_, tx) => tx.model('order').update(1, {}) })
export const audited = defineAction(Order, { name: 'audit', title: 'Audit', run: audit })
export const paid = defineAction(Order, { name: 'pay', title: 'Pay', set: { status: 'paid' }, access: { group: 'Cashiers' } })
// @ts-expect-error an action is never public
export const free = defineAction(Order, { name: 'pay', title: 'Pay', set: { status: 'paid' }, access })
// @ts-expect-error the status is none of the choices
export const lost = defineAction(Order, { name: 'lose', title: 'Lose', set: { status: 'lost' } })
export const open = defineEndpoint({ method: 'GET', path: '/open', access, run: () => undefined })
export const described = defineEndpoint<typeof ID, typeof ID>({ method: 'GET', path: '/{id}', input: ID, output: ID, run: ({ input }) => input })
// @ts-expect-error a path begins with a slash
export const relative = defineEndpoint({ method: 'GET', path: 'open', run: () => undefined })

export const receipt = defineJob({ name: 'receipt', input: ID, timeout: '10m', run: ({ id }, ctx) => ctx.log.info(\`\${id}, \${ctx.job.attempt}\`) })
export const stored: Job<{ id: number | null }> = receipt
export const nightly = defineJob({ name: 'nightly', run: async (_, ctx) => ctx.enqueue(byKey, { id: 'a' }) })
export const byKey = defineJob({ name: 'by_key', input: [{ name: 'id', type: 'uuid' }], run: ({ id }) => id?.startsWith('a') })
export const script: Script = async (ctx, [id]) => {
  await ctx.enqueue(receipt, { id: Number(id) }, { key: 'one', run_at: ctx.now() })
  // @ts-expect-error an id is a number
  await ctx.enqueue(receipt, { id })
  // @ts-expect-error the input has an id
  await ctx.enqueue(receipt, {})
}
`

test('actions, endpoints, jobs and scripts are typed by their fields, and code need not return anything', async () => {
  assert.equal(await typeCheck({ 'code.ts': BY_THE_CONTRACT }), '')
})
