import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { runCli } from '../../helpers/cli/cli.ts'
import { startServer } from '../../helpers/cli/process.ts'
import { makeProject } from '../../helpers/fixture.ts'

const hooks = (factor: number, more = ''): string =>
  `import { defineHooks } from 'admin-folder'
export default defineHooks('order', { compute: { total: ({ price }) => price * ${factor} }, ${more} })
`

const PROJECT = {
  'admin.config.yaml': 'history: { days: 9 }\n',
  'models/order.yaml': `name: Order
timestamps: true
fields:
  - { name: price, type: integer, required: true }
  - { name: total, type: integer, gte: 0 }
`,
  'models/note.yaml': 'name: Note\nfields:\n  - { name: text, type: text }\n',
  'hooks/order.js': hooks(2),
  'seed/order.json': JSON.stringify(Array.from({ length: 1500 }, (_, price) => ({ price }))),
}

async function withOrders(work: (cwd: string, rewrite: (text: string) => Promise<void>) => Promise<void>): Promise<void> {
  await using project = await makeProject(PROJECT)
  // The first command that writes makes the data.
  const run = await runCli(['mock', 'note'], { cwd: project.path })
  assert.equal(run.code, 0, run.stderr)
  await work(project.path, (text) => writeFile(join(project.path, 'hooks/order.js'), text))
}

const totalsOf = async (cwd: string): Promise<number[]> => {
  const { stdout } = await runCli(['export', 'order', '--format', 'ndjson', '--fields', 'total'], { cwd })
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).total)
}

describe('admin recompute', () => {
  test('computes stored records again, in several batches, without other hooks before the write', async () => {
    await withOrders(async (cwd, rewrite) => {
      await rewrite(hooks(3, "beforeUpdate() { throw Error('called') }, validate: () => ({ price: 'No' })"))
      const dry = await runCli(['recompute', 'order', '--dry-run'], { cwd })
      // The order with the price 0 stays the same.
      assert.deepEqual([dry.code, dry.stderr], [0, '1499 of 1500 order records would change; nothing was changed\n'])
      assert.equal((await totalsOf(cwd))[7], 14)
      const done = await runCli(['recompute', 'order'], { cwd })
      assert.deepEqual([done.code, done.stderr], [0, 'Computed 1500 order records again, of which 1499 changed\n'])
      assert.deepEqual(
        await totalsOf(cwd),
        Array.from({ length: 1500 }, (_, price) => price * 3),
      )
      const again = await runCli(['recompute', 'order'], { cwd })
      assert.equal(again.stderr, 'Computed 1500 order records again, of which 0 changed\n')
      const { stdout } = await runCli(['history', 'order', '8'], { cwd })
      assert.match(stdout, /update .* total: 14 → 21/)
    })
  })

  test('works beside a server', async () => {
    await withOrders(async (cwd, rewrite) => {
      await rewrite(hooks(4))
      const server = await startServer([], { cwd })
      const done = await runCli(['recompute', 'order'], { cwd })
      await server.stop()
      assert.deepEqual([done.code, done.stderr], [0, 'Computed 1500 order records again, of which 1499 changed\n'])
    })
  })

  test('names the record whose value breaks the model', async () => {
    await withOrders(async (cwd, rewrite) => {
      await rewrite(hooks(2).replace('price * 2', '(price === 9 ? -1 : price)'))
      const { code, stderr } = await runCli(['recompute', 'order'], { cwd })
      assert.deepEqual([code, stderr], [1, 'error order 10: total must be greater than or equal to 0\n'])
      assert.equal((await totalsOf(cwd))[5], 10)
    })
  })

  test('says that hooks compute no field, and suggests a model', async () => {
    await withOrders(async (cwd, rewrite) => {
      await rewrite(hooks(2).replace('compute: { total: ({ price }) => price * 2 }, ', ''))
      const { code, stderr } = await runCli(['recompute', 'order'], { cwd })
      assert.deepEqual([code, stderr], [1, 'error Hooks compute no field of Order\n'])
      assert.match((await runCli(['recompute', 'oder'], { cwd })).stderr, /There is no model 'oder'; did you mean 'order'\?/)
    })
  })
})
