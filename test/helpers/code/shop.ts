import { setTimeout } from 'node:timers/promises'
import { ADMIN_SEED, openTestApp, type TestApp } from '../api/app.ts'

// biome-ignore lint/suspicious/noExplicitAny: the answers of many routes
type Json = any

/** The models of a shop. */
export const SHOP_MODELS = {
  'package.json': '{ "type": "module" }',
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
  - { name: tags, type: many_to_many, model: tag }
`,
  'models/ledger.yaml': `name: Ledger
fields:
  - { name: order_id, type: foreignkey, model: order, on_delete: set_null }
  - { name: text, type: string, required: true }
`,
  'models/tag.yaml': 'name: Tag\nfields:\n  - { name: name, type: string, required: true }\n',
}

const SHOP = {
  ...SHOP_MODELS,
  ...ADMIN_SEED,
  'admin.config.yaml': 'history: { days: 90 }\n',
  'seed/product.yaml': '- { name: Pen, stock: 5 }\n- { name: Ink, stock: 9 }\n',
}

/** Files of hooks by model. What they push to `globalThis.seen` is for the test. */
export const hooksOf = (hooks: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(hooks).map(([model, text]) => [
      `hooks/${model}.ts`,
      `// @ts-nocheck\nimport { defineHooks, refuse } from 'admin-folder'\nexport default defineHooks('${model}', ${text})\n`,
    ]),
  )

/** An order takes its quantity from the stock of its product and writes into the ledger. */
const ORDER_HOOKS = hooksOf({
  order: `{
  compute: { total: ({ quantity, price }) => (quantity ?? 0) * (price ?? 0) },
  async beforeCreate({ record, ref }, tx) {
    const products = tx.system.model('product')
    const product = await products.read(record.product_id)
    if (product === undefined || product.stock < record.quantity) refuse({ quantity: 'Not in stock' })
    products.update(product.id, { stock: product.stock - record.quantity })
    tx.model('ledger').create({ order_id: ref, text: 'sold' })
    return { number: "O-" + product.id + '-' + product.stock }
  },
}`,
})

/** A shop whose code is in `hooks/`. */
interface Shop {
  readonly app: TestApp
  /** Sends `{data}`, or another body, as the superuser or another user. */
  call(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    data?: object,
    body?: object,
    user?: string,
  ): Promise<{ status: number; json: Json; data: Json; text: string }>
  /** The stored records of a model. */
  all(model: string): Promise<readonly Json[]>
  /** What hooks have pushed to `globalThis.seen`. */
  seen(): readonly Json[]
  until(condition: () => Promise<boolean>): Promise<void>
  readonly as: {
    permissions(...codenames: readonly string[]): Promise<readonly number[]>
    /** Creates a user of a group. */
    user(username: string, group: string): Promise<void>
  }
}

export type ShopWork = (shop: Shop) => Promise<void>

/** Runs work with a shop. Errors that the server calls its own fault fail the test, unless the work takes them. */
export async function withShop(work: ShopWork, code: Readonly<Record<string, string>> = ORDER_HOOKS): Promise<void> {
  await using app = await openTestApp({ files: { ...SHOP, ...code } })
  const seen: Json[] = []
  Object.assign(globalThis, { seen })
  const call: Shop['call'] = async (method, path, data, body = { data }, user = 'admin') => {
    const { statusCode, payload } = await app.server.inject({
      ...{ method, url: `/api/v1/models/${path}`, headers: { authorization: `Bearer ${await app.tokenOf(user)}` } },
      ...(method === 'GET' ? {} : { payload: body }),
    })
    const json = payload === '' ? undefined : JSON.parse(payload)
    return { status: statusCode, json, data: json?.data, text: payload }
  }
  const all: Shop['all'] = async (model) =>
    (await app.app.store.find(model, { filters: [], sort: [], offset: 0, limit: 10_000 })).records
  await work({
    app,
    call,
    all,
    seen: () => [...seen],
    async until(condition) {
      while (!(await condition())) await setTimeout(5)
    },
    as: {
      async permissions(...codenames) {
        const permissions = await all('permission')
        return codenames.map((codename) => permissions.find((each) => each.codename === codename).id)
      },
      async user(username, group) {
        const found = (await all('group')).find(({ name }) => name === group)
        await call('POST', 'user', {
          username,
          email: `${username}@example.org`,
          password: 'a-long-password',
          groups: [found.id],
        })
      },
    },
  })
  if (app.reported.length > 0) throw app.reported[0]
}
