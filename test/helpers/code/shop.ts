import { ADMIN_SEED, openTestApp, type TestApp } from '../api/app.ts'

// biome-ignore lint/suspicious/noExplicitAny: the answers of many routes
type Json = any

const SHOP = {
  ...ADMIN_SEED,
  'admin.config.yaml': 'rate_limits: { default: 0 }\n',
  'models/product.yaml': `name: Product
fields:
  - { name: name, type: string, required: true }
  - { name: stock, type: integer, required: true }
`,
  'models/order.yaml': `name: Order
timestamps: true
fields:
  - { name: number, type: string, unique: true }
  - { name: product_id, type: foreignkey, model: product, required: true, on_delete: cascade }
  - { name: quantity, type: integer, required: true }
  - { name: price, type: number, required: true }
  - { name: total, type: number }
`,
  'models/ledger.yaml': `name: Ledger
fields:
  - { name: order_id, type: foreignkey, model: order, on_delete: set_null }
  - { name: text, type: string, required: true }
`,
  'seed/product.yaml': '- { name: Pen, stock: 5 }\n- { name: Ink, stock: 9 }\n',
}

/** Sells by hooks: an order takes its quantity from the stock of its product and writes into the ledger. */
export const ORDER_HOOKS = `import { defineHooks, refuse } from 'admin-folder'
export default defineHooks('order', {
  compute: { total: ({ quantity, price }) => (quantity ?? 0) * (price ?? 0) },
  async beforeCreate({ record, ref }, tx) {
    const products = tx.system.model('product')
    const product = await products.read(record.product_id)
    if (product === undefined || product.stock < record.quantity) refuse({ quantity: 'Not in stock' })
    products.update(product.id, { stock: product.stock - record.quantity })
    tx.system.model('ledger').create({ order_id: ref, text: 'sold' })
    return { number: 'O-' + record.quantity + (product.stock === 5 ? '' : '-' + product.stock) }
  },
})
`

export interface Codings {
  readonly work: (shop: {
    readonly app: TestApp
    call(
      method: string,
      path: string,
      data?: object,
      body?: object,
    ): Promise<{ status: number; json: Json; data: Json; text: string }>
    all(model: string): Promise<readonly Json[]>
  }) => Promise<void>
}

/** Runs work with a shop whose code is in `hooks/`. */
export async function openShop(
  work: Codings['work'],
  code: Readonly<Record<string, string>> = { 'hooks/order.ts': ORDER_HOOKS },
): Promise<void> {
  await using app = await openTestApp({ files: { 'package.json': '{ "type": "module" }', ...SHOP, ...code } })
  const authorization = `Bearer ${await app.tokenOf('admin')}`
  await work({
    app,
    async call(method, path, data, body = { data }) {
      const { statusCode, payload } = await app.server.inject({
        ...{ method, url: `/api/v1/models/${path}`, headers: { authorization } },
        ...(method === 'GET' ? {} : { payload: body }),
      })
      const json = payload === '' ? undefined : JSON.parse(payload)
      return { status: statusCode, json, data: json?.data, text: payload }
    },
    all: async (model) => (await app.app.store.find(model, { filters: [], sort: [], offset: 0, limit: 10_000 })).records,
  })
}
