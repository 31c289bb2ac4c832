import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type RunningServer, startServer } from '../helpers/cli/process.ts'
import { repetitions } from '../helpers/counts.ts'
import { databaseProject, succeeded } from '../helpers/postgres/cli-project.ts'
import { Random } from '../helpers/postgres/random.ts'
import { NO_POSTGRES } from '../helpers/postgres/server.ts'

const KILLS = repetitions(6, 200)
/** Time within which another process takes a job over, in milliseconds. */
const TAKEN_OVER_MS = 40_000
/** A process is killed so long after its first order is stored at the latest, in milliseconds. */
const LONGEST_LIFE_MS = 400

const FILES = {
  'package.json': '{ "type": "module" }',
  'admin.config.yaml': 'rate_limits: { default: 0 }\n',
  'models/order.yaml': `- name: Order
  fields:
    - { name: number, type: integer, required: true }
- name: Receipt
  fields:
    - { name: order_number, type: integer, required: true }
`,
  'jobs/receipt.js': `import { defineJob } from 'admin-folder'
export default defineJob({ name: 'receipt', input: [{ name: 'number', type: 'integer', required: true }], async run({ number }, ctx) {
  await new Promise((resolve) => setTimeout(resolve, number % 50))
  await ctx.system.model('receipt').create({ order_number: number })
} })
`,
  'hooks/order.js': `import { defineHooks } from 'admin-folder'
import receipt from '../jobs/receipt.js'
export default defineHooks('order', { beforeCreate: ({ record }, tx) => tx.enqueue(receipt, { number: record.number }) })
`,
}

const killed = async ({ child }: RunningServer) => {
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
}

describe('jobs of processes that are killed', { skip: NO_POSTGRES, timeout: 1_100_000, concurrency: true }, () => {
  for (const [engine, processes] of [
    ['embedded', 1],
    ['postgres', 2],
  ] as const) {
    test(`none is lost in ${KILLS} kills (${engine}, processes: ${processes})`, async (context) => {
      await using project = await databaseProject(FILES)
      const { ADMIN_SECRET_KEY = '' } = project.env
      const env = engine === 'postgres' ? project.env : { ADMIN_SECRET_KEY }
      const servers: RunningServer[] = []
      const random = new Random(11)
      const start = () => startServer(['--project', project.folder.path], { env })
      const newUser = ['users', 'add', 'root', '--email', 'r@example.com', '--superuser', '--password-stdin']
      try {
        succeeded(await project.admin(newUser, { env }))
        for (let index = 0; index < processes; index++) servers.push(await start())
        const authorization = `Bearer ${succeeded(await project.admin(['token'], { env })).trim()}`
        const headers = { authorization, 'content-type': 'application/json' }
        const get = async (path: string) => {
          const reply = await fetch(`${servers[0]?.address}/api/v1/${path}`, { headers })
          assert.equal(reply.status, 200)
          return (await reply.json()) as { readonly total: number; readonly data: readonly Readonly<Record<string, number>>[] }
        }
        const numbers = async (model: string, field: string) => {
          const found: number[] = []
          for (let page = 1, total = 1; found.length < total; page++) {
            const answer = await get(`models/${model}?page_size=100&page=${page}&sort_by=id&fields=${field}`)
            total = answer.total
            found.push(...answer.data.map((record) => Number(record[field])))
          }
          return found
        }
        /** The numbers of jobs by status. */
        const counts = async (): Promise<Record<string, number>> => {
          const statuses = ['waiting', 'running', 'done', 'failed']
          const pages = await Promise.all(statuses.map((status) => get(`jobs?page_size=1&status=${status}`)))
          return Object.fromEntries(statuses.map((status, index) => [status, pages[index]?.total ?? 0]))
        }

        const acknowledged: number[] = []
        let last = 0
        let killedAt = 0
        for (let kill = 0; kill < KILLS; kill++) {
          const [victim] = servers
          assert.ok(victim)
          let isGone = false
          const order = async () => {
            const number = ++last
            const body = JSON.stringify({ data: { number } })
            const sent = fetch(`${victim.address}/api/v1/models/order`, { method: 'POST', headers, body })
            const status = await sent.then((reply) => reply.status).catch(() => undefined)
            if (status === undefined) return
            assert.equal(status, 201)
            acknowledged.push(number)
          }
          const client = async () => {
            while (!isGone) {
              await order()
              await setTimeout(random.below(20))
            }
          }
          await order()
          const clients = Array.from({ length: 3 }, client)
          await setTimeout(random.below(LONGEST_LIFE_MS))
          await killed(victim)
          killedAt = performance.now()
          isGone = true
          await Promise.all(clients)
          servers.shift()
          // The last one is not replaced where another process is left, which takes its jobs over.
          if (kill < KILLS - 1 || processes === 1) servers.push(await start())
        }
        let end = await counts()
        let changedAt = killedAt
        while (end.waiting !== 0 || end.running !== 0) {
          assert.ok(performance.now() - changedAt < TAKEN_OVER_MS, `not taken over in time: ${JSON.stringify(end)}`)
          await setTimeout(100)
          const next = await counts()
          if (next.done !== end.done) changedAt = performance.now()
          end = next
        }
        const seconds = ((performance.now() - killedAt) / 1000).toFixed(1)
        const orders = new Set(await numbers('order', 'number'))
        const runs = await numbers('receipt', 'order_number')
        const receipts = new Set(runs)
        context.diagnostic(
          `${orders.size} orders, ${runs.length - receipts.size} jobs ran again; the last one was done ${seconds} s after the last kill`,
        )
        assert.deepEqual(
          acknowledged.filter((number) => !orders.has(number)),
          [],
          'acknowledged orders that are not stored',
        )
        assert.deepEqual([...receipts].sort(), [...orders].sort(), 'each order has run its job')
        assert.deepEqual(end, { waiting: 0, running: 0, done: orders.size, failed: 0 })
      } finally {
        for (const server of servers) await killed(server)
      }
    })
  }
})
