import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { runCli } from '../../helpers/cli/cli.ts'
import { startServer } from '../../helpers/cli/process.ts'
import { makeProject, type TemporaryFolder } from '../../helpers/fixture.ts'

/** What `afterCommit` has seen is in the log of orders. */
const PROJECT = {
  'models/order.yaml': `- name: Order
  fields:
    - { name: price, type: integer, required: true, gte: 0, lte: 99 }
    - { name: total, type: integer }
- name: Note
  fields:
    - { name: text, type: string }
`,
  'hooks/order.js': `import { defineHooks } from 'admin-folder'
export default defineHooks('order', {
  compute: { total: ({ price }) => price * 2 },
  async afterCommit(changes, { system }) {
    for (const { action, after } of changes) if (action !== 'delete') await system.model('note').create({ text: 'order ' + after.price })
  },
})
`,
  'hooks/user.js': `import { defineHooks, refuse } from 'admin-folder'
const refuseAll = () => refuse('No accounts today', 409)
export default defineHooks('user', { beforeCreate: refuseAll, beforeUpdate: refuseAll })
`,
  'scripts/remove.js': "export default (ctx) => ctx.model('order').delete(1)\n",
  'admin.config.yaml': 'history: { days: 9 }\n',
  'seed/order.yaml': '- { price: 1 }\n',
}

const lines = async ({ path: cwd }: TemporaryFolder, model: string): Promise<Record<string, unknown>[]> => {
  const { stdout } = await runCli(['export', model, '--format', 'json'], { cwd })
  return JSON.parse(stdout)
}

const withOrders = async (work: (project: TemporaryFolder) => Promise<void>) => {
  await using project = await makeProject(PROJECT)
  await work(project)
}

describe('commands on data of a project with hooks', () => {
  test('an import calls the hooks, and ends after what runs after the commit', () =>
    withOrders(async (project) => {
      const done = await runCli(['import', 'order', '-', '--format', 'csv'], { cwd: project.path, stdin: 'price\n5\n' })
      assert.equal(done.code, 0, done.stderr)
      assert.deepEqual(await lines(project, 'order'), [
        { id: 1, price: 1, total: 2 },
        { id: 2, price: 5, total: 10 },
      ])
      // The seed calls no afterCommit.
      assert.deepEqual(await lines(project, 'note'), [{ id: 1, text: 'order 5' }])
    }))

  test('an import with --no-code calls none', () =>
    withOrders(async (project) => {
      const argv = ['import', 'order', '-', '--format', 'csv', '--no-code']
      const done = await runCli(argv, { cwd: project.path, stdin: 'price\n5\n' })
      assert.equal(done.code, 0, done.stderr)
      assert.deepEqual((await lines(project, 'order'))[1], { id: 2, price: 5, total: null })
      assert.deepEqual(await lines(project, 'note'), [])
    }))

  test('mock records are computed, without afterCommit, and with --no-code not at all', () =>
    withOrders(async (project) => {
      for (const more of [[], ['--no-code']]) {
        const done = await runCli(['mock', 'order', '--count', '3', '--seed', '1', ...more], { cwd: project.path })
        assert.equal(done.code, 0, done.stderr)
      }
      const orders = await lines(project, 'order')
      assert.deepEqual(
        orders.map(({ price, total }) => (total === null ? 'none' : total === Number(price) * 2)),
        [true, true, true, true, 'none', 'none', 'none'],
      )
      assert.deepEqual(await lines(project, 'note'), [])
    }))

  test('a record is restored without what runs after the commit', () =>
    withOrders(async (project) => {
      const admin = (...argv: readonly string[]) => runCli(argv, { cwd: project.path })
      for (const more of [[], ['--no-code']]) {
        assert.equal((await admin('run', 'scripts/remove.js')).code, 0)
        const restored = await admin('restore', 'order', '1', ...more)
        assert.equal(restored.code, 0, restored.stderr)
      }
      assert.deepEqual(
        (await lines(project, 'note')).map(({ text }) => text),
        ['order 1'],
      )
    }))

  test('accounts are changed without hooks that refuse it', () =>
    withOrders(async (project) => {
      const add = ['users', 'add', 'ann', '--email', 'ann@example.org', '--password-stdin']
      for (const argv of [
        add,
        ['users', 'passwd', 'ann', '--password-stdin'],
        ['users', 'disable', 'ann'],
        ['users', 'enable', 'ann'],
        ['users', 'grant', 'ann', 'view_order'],
        ['users', 'revoke', 'ann', 'view_order'],
      ]) {
        const call = (...more: readonly string[]) =>
          runCli([...argv, ...more], { cwd: project.path, stdin: `a-long-password of ${argv[1]}\n` })
        const completed = await runCli(['complete', '--', ...argv.slice(0, 2), '--no-'], { cwd: project.path })
        assert.match(completed.stdout, /^--no-code\t/m)
        const refused = await call()
        assert.match(refused.stderr, /No accounts today/, argv.join(' '))
        const { code, stderr } = await call('--no-code')
        assert.equal(code, 0, stderr)
      }
    }))

  test('beside a server, --no-code is refused', () =>
    withOrders(async (project) => {
      const server = await startServer([], { cwd: project.path })
      const refused = [
        await runCli(['mock', 'order', '--no-code'], { cwd: project.path }),
        await runCli(['users', 'enable', 'ann', '--no-code'], { cwd: project.path }),
        await runCli(['import', 'order', '-', '--format', 'csv', '--no-code'], { cwd: project.path, stdin: 'price\n5\n' }),
      ]
      await server.stop()
      for (const { code, stderr } of refused) {
        assert.equal(code, 1)
        assert.match(stderr, /A running server calls the hooks itself; stop it/)
      }
    }))
})
