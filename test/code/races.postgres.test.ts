import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hooksOf, SHOP_MODELS } from '../helpers/code/shop.ts'
import { repetitions } from '../helpers/counts.ts'
import { openOtherWrites } from '../helpers/postgres/other-writes.ts'
import { NO_POSTGRES } from '../helpers/postgres/server.ts'
import { twoServers } from '../helpers/postgres/two-servers.ts'

/** Races that the scheduler decides; those of `late-cascades.postgres.test.ts` are certain. */
const RACES = repetitions(50, 10_000)
/** Records that change after a hook has read them. */
const READ = repetitions(20, 1000)
/** Records that `afterCommit` reads. */
const CREATES = repetitions(200, 10_000)
/** Writes that enqueue a job and are rolled back. */
const ROLLED_BACK = repetitions(100, 10_000)
const CLIENTS = 8

const FILES = {
  ...SHOP_MODELS,
  'admin.config.yaml': 'rate_limits: { default: 0 }\njobs: { run: false }\n',
  'jobs/receipt.ts': `import { defineJob } from 'admin-folder'
export default defineJob({ name: 'receipt', run() {} })
`,
  ...hooksOf({
    // The ledger tells what hooks have seen, and is written with what they have seen.
    order: `{ beforeDelete({ before }, tx) { tx.system.model('ledger').create({ text: 'order ' + before.id }) } }`,
    tag: `{
      async beforeCreate({ record }, tx) {
        if (record.name !== 'read') await tx.enqueue({ name: 'receipt' }, {})
        if (record.name === 'refused') refuse('Not this one', 409)
      },
      validate: ({ record }) => (record.name === 'invalid' ? { name: 'Not this name' } : undefined),
      async afterCommit(changes, ctx) {
        for (const { after } of changes) {
          if (after.name !== 'read') continue
          const found = await ctx.model('tag').read(after.id).catch(() => undefined)
          await ctx.system.model('ledger').create({ text: found?.data.id === after.id ? 'found' : 'missing' })
        }
      },
    }`,
  }),
}

/** Does something many times, some of it at once. */
async function repeat(times: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const client = async () => {
    while (next < times) await work(next++)
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
}

describe('hooks of one process beside writes of another', { skip: NO_POSTGRES, timeout: 1_100_000 }, () => {
  test(`a cascade that appears during a deletion is seen by its hook, in ${RACES} races`, () =>
    twoServers(
      async ({ servers: [one, other], request }) => {
        const stored: number[] = []
        await repeat(RACES, async (race) => {
          const product = await request(one, 'POST', 'models/product', { data: { name: `P${race}`, stock: 1 } })
          const { id } = product.json.data
          const data = { product_id: id, quantity: 1, price: 1 }
          const [first, removed, second] = await Promise.all([
            request(one, 'POST', 'models/order', { data }),
            request(other, 'DELETE', `models/product/${id}`),
            request(other, 'POST', 'models/order', { data }),
          ])
          assert.equal(removed.status, 200, JSON.stringify(removed.json))
          for (const { status, json } of [first, second]) {
            if (status === 201) stored.push(json.data.id)
            else assert.equal(status, 400, JSON.stringify(json))
          }
        })
        assert.equal((await request(one, 'GET', 'models/order?page_size=1')).json.total, 0)
        const seen = await request(one, 'GET', 'models/ledger?page_size=1')
        assert.equal(seen.json.total, stored.length)
        assert.ok(stored.length > 0)
      },
      { files: FILES },
    ))

  test(`a record that a hook has read changes, goes or appears before the commit, ${READ} times each`, async () => {
    await using others = await openOtherWrites()
    const read = `{ async beforeCreate({ record: { quantity } }, tx) {
      const tag = await tx.system.model('tag').read(quantity)
      await fetch('${others.address}' + quantity)
      return { number: quantity + ' ' + (tag?.name ?? 'nothing') }
    } }`
    await twoServers(
      async ({ servers: [one, other], request }) => {
        const product = await request(one, 'POST', 'models/product', { data: { name: 'Pen', stock: 1 } })
        const newTag = () => request(one, 'POST', 'models/tag', { data: { name: 'tag' } })
        const order = async (id: number, write: () => Promise<{ readonly status: number }>, expected: string) => {
          let written: ReturnType<typeof write> | undefined
          others.writes.set(id, () => {
            written = write()
            return written
          })
          const data = { product_id: product.json.data.id, quantity: id, price: 1 }
          const { status, json } = await request(other, 'POST', 'models/order', { data })
          assert.equal(status, 201, JSON.stringify(json))
          assert.ok([200, 201].includes((await written)?.status ?? 0))
          assert.equal(json.data.number, `${id} ${expected}`)
        }
        for (let race = 0; race < READ; race++) {
          const { id } = (await newTag()).json.data
          await order(id, () => request(one, 'PUT', `models/tag/${id}`, { data: { name: 'new' } }), 'new')
          await order(id, () => request(one, 'DELETE', `models/tag/${id}`), 'nothing')
          await order(id + 1, newTag, 'tag')
        }
      },
      { files: { ...FILES, ...hooksOf({ order: read }) } },
    )
  })

  test(`after the commit, hooks find the record in ${CREATES} of ${CREATES}`, () =>
    twoServers(
      async ({ servers, request, until }) => {
        await repeat(CREATES, async (index) => {
          const { status } = await request(servers[index % 2 === 0 ? 0 : 1], 'POST', 'models/tag', { data: { name: 'read' } })
          assert.equal(status, 201)
        })
        const total = async (text: string) =>
          (await request(servers[0], 'GET', `models/ledger?page_size=1&filters=text=${text}`)).json.total
        await until(async () => (await total('found')) + (await total('missing')) === CREATES, 'all hooks have run')
        assert.equal(await total('missing'), 0)
      },
      { files: FILES },
    ))

  test(`of ${ROLLED_BACK} writes that are rolled back beside others, none leaves a job`, () =>
    twoServers(
      async ({ servers, request }) => {
        let stored = 0
        await repeat(ROLLED_BACK, async (index) => {
          const server = servers[index % 2 === 0 ? 0 : 1]
          const name = index % 3 === 0 ? 'refused' : index % 3 === 1 ? 'invalid' : 'dry'
          const refused = await request(server, 'POST', `models/tag${name === 'dry' ? '?dry_run=true' : ''}`, { data: { name } })
          assert.equal(refused.status, name === 'dry' ? 200 : name === 'refused' ? 409 : 400, JSON.stringify(refused.json))
          if (index % 50 !== 0) return
          assert.equal((await request(server, 'POST', 'models/tag', { data: { name: 'kept' } })).status, 201)
          stored++
        })
        assert.equal((await request(servers[0], 'GET', 'jobs?page_size=1')).json.total, stored)
        assert.ok(stored > 0)
      },
      { files: FILES },
    ))
})
