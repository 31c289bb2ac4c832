import { hooksOf } from './shop.ts'

/** Sends a write of another request, which must succeed. */
export type Send = (method: 'POST' | 'PUT' | 'DELETE', path: string, data?: object) => Promise<{ readonly id: number }>

/** A product that is being deleted, with its one order, of the quantity 1. */
interface Deletion {
  readonly product: number
  readonly order: number
  readonly send: Send
}

/** What a deletion comes to that another request has changed. */
export interface Seen {
  /** The orders whose hooks are called in the run that is committed. */
  readonly called: readonly number[]
  /** What the ledger tells of deleted orders. */
  readonly entries: readonly string[]
}

/** What another request does to the cascade of a deletion. */
export interface LateWrite {
  readonly name: string
  readonly write: (deletion: Deletion) => Promise<Seen>
}

export const APPEARS: LateWrite = {
  name: 'an order appears',
  async write({ product, order, send }) {
    const { id } = await send('POST', 'order', { product_id: product, quantity: 2, price: 1 })
    return { called: [order, id], entries: [`order ${order}: 1`, `order ${id}: 2`] }
  },
}

export const CHANGES: LateWrite = {
  name: 'an order changes',
  async write({ order, send }) {
    await send('PUT', `order/${order}`, { quantity: 3 })
    return { called: [order], entries: [`order ${order}: 3`] }
  },
}

export const LEAVES: LateWrite = {
  name: 'an order leaves',
  async write({ order, send }) {
    const { id } = await send('POST', 'product', { name: 'Ink', stock: 1 })
    await send('PUT', `order/${order}`, { product_id: id })
    return { called: [], entries: [] }
  },
}

/** Has hooks itself, so it waits for other deletions that are repeated. */
export const IS_DELETED: LateWrite = {
  name: 'an order is deleted',
  async write({ order, send }) {
    await send('DELETE', `order/${order}`)
    return { called: [], entries: [`order ${order}: 1`] }
  },
}

/** Has hooks itself, too. */
export const REFERS: LateWrite = {
  name: 'an entry that is to lose its order appears',
  async write({ order, send }) {
    await send('POST', 'ledger', { order_id: order, text: 'late' })
    return { called: [order], entries: ['late, without order', `order ${order}: 1`] }
  },
}

/**
 * Hooks that wait before they go on. The ledger validates when the cascade is known, right before the commit. A tag deletes the product that it names.
 *
 * @param waits expressions of promises: `before` is the order, `record` the entry of the ledger
 */
export const waitingHooks = (waits: Readonly<Record<'product' | 'order' | 'ledger', string>>): Readonly<Record<string, string>> =>
  hooksOf({
    tag: `{ beforeCreate({ record }, tx) { tx.system.model('product').delete(Number(record.name)) } }`,
    product: `{ async beforeDelete() { await ${waits.product} } }`,
    order: `{ async beforeDelete({ before }, tx) {
      await ${waits.order}
      tx.system.model('ledger').create({ text: 'order ' + before.id + ': ' + before.quantity })
    } }`,
    ledger: `{
      beforeUpdate: ({ record }) => ({ text: record.text + ', without order' }),
      async validate({ record }) { await ${waits.ledger} },
    }`,
  })

/** The request that deletes a product in a race: by itself, or every second time by code. */
export const deletionOf = (product: number, race: number) =>
  race % 2 === 0
    ? ({ method: 'DELETE', path: `product/${product}`, data: undefined, status: 200 } as const)
    : ({ method: 'POST', path: 'tag', data: { name: String(product) }, status: 201 } as const)
