import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { NEEDS_DATA_FOLDER } from '../helpers/api/app.ts'
import { runCli } from '../helpers/cli/cli.ts'
import { endpointFile } from '../helpers/code/endpoints.ts'
import { hooksOf, SHOP_MODELS, type ShopWork, withShop } from '../helpers/code/shop.ts'
import { makeProject, type TemporaryFolder } from '../helpers/fixture.ts'

/** Hooks that tell of their calls: `beforeUpdate tag: A → B, name`. A tag that is called Bad is refused. */
const telling = (model: string) => `(() => {
  const nameOf = (record) => record?.name ?? record?.text ?? (record && 'quantity' in record ? 'order of ' + record.quantity : undefined)
  const tell = (hook, before, after, more = []) => {
    const names = [nameOf(before), nameOf(after)].filter((name) => name !== undefined).join(' → ')
    globalThis.seen?.push([hook + ' ${model}: ' + names, ...more].join(', '))
  }
  return {
    beforeCreate({ record, before }) {
      tell('beforeCreate', before, record)
      if (record.name === 'Bad') refuse('Not this one', 409)
    },
    beforeUpdate: ({ record, before, changed }) => tell('beforeUpdate', before, record, [...changed]),
    beforeDelete: ({ before, cascade_from }) => tell('beforeDelete', before, undefined, cascade_from ? ['by ' + cascade_from] : []),
    validate: ({ record, before }) => tell('validate', before, record),
    afterCommit(changes) {
      for (const { action, before, after } of changes) tell('afterCommit', before, after, [action])
    },
  }
})()`

const HOOKS = hooksOf(Object.fromEntries(['product', 'order', 'ledger', 'tag'].map((model) => [model, telling(model)])))

const CODE = {
  ...HOOKS,
  ...hooksOf({ user: telling('user') }),
  'actions/shout.yaml': 'model: Tag\nname: shout\ntitle: Shout\nset: { name: LOUD }\n',
  'endpoints/tags.ts': endpointFile(
    `export default defineEndpoint({ method: 'POST', path: '/tags', run: (_, ctx) => ctx.model('tag').create({ name: 'New' }) })\n`,
  ),
  'jobs/tag.ts': `import { defineJob } from 'admin-folder'
export default defineJob({ name: 'tag', run: (_, ctx) => ctx.model('tag').create({ name: 'New' }) })
`,
}

const created = (name: string) => [`beforeCreate tag: ${name}`, `validate tag: ${name}`, `afterCommit tag: ${name}, create`]
const updated = (names: string) => [
  `beforeUpdate tag: ${names}, name`,
  `validate tag: ${names}`,
  `afterCommit tag: ${names}, update`,
]
const deleted = (name: string) => [`beforeDelete tag: ${name}`, `afterCommit tag: ${name}, delete`]
/** The calls for several records, one step after the other. */
const together = (...calls: readonly (readonly string[])[]) =>
  ['before', 'validate', 'afterCommit'].flatMap((step) => calls.flat().filter((call) => call.startsWith(step)))

const newTag: ShopWork = async ({ call }) => {
  for (const name of ['A', 'B']) await call('POST', 'tag', { name })
}

type Shop = Parameters<ShopWork>[0]
const send = async ({ app }: Shop, url: string, payload: object | string, type = 'application/json') => {
  const authorization = `Bearer ${await app.tokenOf('admin')}`
  return app.server.inject({ method: 'POST', url: `/api/v1/${url}`, headers: { authorization, 'content-type': type }, payload })
}

/** The ways in of the API: what is done with the tags A and B, and the calls of hooks. */
const WAYS: readonly (readonly [way: string, work: (shop: Shop) => Promise<unknown>, calls: readonly string[]])[] = [
  ['a create', ({ call }) => call('POST', 'tag', { name: 'New' }), created('New')],
  ['an update', ({ call }) => call('PUT', 'tag/1', { name: 'C' }), updated('A → C')],
  ['a deletion', ({ call }) => call('DELETE', 'tag/1'), deleted('A')],
  ['an update that changes nothing', ({ call }) => call('PUT', 'tag/1', { name: 'A' }), []],
  [
    'a bulk create',
    ({ call }) => call('POST', 'tag/bulk', undefined, { records: [{ name: 'C' }, { name: 'D' }] }),
    together(created('C'), created('D')),
  ],
  [
    'a bulk update',
    ({ call }) => call('PUT', 'tag/bulk', undefined, { updates: [1, 2].map((id) => ({ id, data: { name: 'C' } })) }),
    together(updated('A → C'), updated('B → C')),
  ],
  [
    'an update by filters',
    ({ call }) => call('PUT', 'tag/bulk', undefined, { filters: ['name=B'], expected_total: 1, data: { name: 'C' } }),
    updated('B → C'),
  ],
  ['a bulk deletion', ({ call }) => call('DELETE', 'tag/bulk', undefined, { ids: [1, 2] }), together(deleted('A'), deleted('B'))],
  ['an import', (shop) => send(shop, 'models/tag/import', 'name\nC\nD\n', 'text/csv'), together(created('C'), created('D'))],
  ['an action', (shop) => send(shop, 'models/tag/2/actions/shout', {}), updated('B → LOUD')],
  ['an endpoint', (shop) => send(shop, 'ext/tags', {}), created('New')],
  [
    'a job',
    async (shop) => {
      await shop.app.app.begin()
      await send(shop, 'jobs/tag/run', {})
      await shop.until(async () => (await shop.all('tag')).length === 3)
    },
    created('New'),
  ],
  [
    'a cascade and set_null',
    async ({ call, seen }) => {
      await call('POST', 'order', { product_id: 1, quantity: 2, price: 1 })
      await call('POST', 'ledger', { order_id: 1, text: 'Sold' })
      await call('DELETE', 'product/1')
      // What made them is no part of it.
      assert.ok(seen().includes('beforeCreate ledger: Sold'))
    },
    [
      'beforeCreate order: order of 2',
      'validate order: order of 2',
      'afterCommit order: order of 2, create',
      'beforeCreate ledger: Sold',
      'validate ledger: Sold',
      'afterCommit ledger: Sold, create',
      'beforeDelete product: Pen',
      'beforeDelete order: order of 2, by product',
      'beforeUpdate ledger: Sold → Sold, order_id',
      'validate ledger: Sold → Sold',
      'afterCommit ledger: Sold → Sold, update',
      'afterCommit product: Pen, delete',
      'afterCommit order: order of 2, delete',
    ],
  ],
  ['a write that a hook refuses', ({ call }) => call('POST', 'tag', { name: 'Bad' }), ['beforeCreate tag: Bad']],
  ['an invalid write', ({ call }) => call('POST', 'tag', { name: 7 }), []],
  [
    'a bulk write of which one is refused',
    ({ call }) => call('POST', 'tag/bulk', undefined, { records: [{ name: 'C' }, { name: 'Bad' }] }),
    ['beforeCreate tag: C', 'beforeCreate tag: Bad'],
  ],
  ['a dry run', ({ call }) => call('POST', 'tag?dry_run=true', { name: 'C' }), ['beforeCreate tag: C', 'validate tag: C']],
  [
    'restoring a deleted record',
    async (shop) => {
      await shop.call('DELETE', 'tag/1')
      await send(shop, 'models/tag/1/restore', {})
    },
    [...deleted('A'), 'afterCommit tag: A, create'],
  ],
  [
    'a login, which the server notes',
    ({ app }) =>
      app.server.inject({
        method: 'POST',
        url: '/api/v1/auth/token',
        payload: { username: 'admin', password: 'a-long-password' },
      }),
    [],
  ],
]

describe('a way in calls the hooks of each record once:', () => {
  for (const [way, work, calls] of WAYS) {
    test(way, async () => {
      let prepared = 0
      await withShop(async (shop) => {
        await newTag(shop)
        await shop.until(async () => shop.seen().length === 6)
        prepared = shop.seen().length
        await work(shop)
      }, CODE)
      // The application is closed, so all that runs after commits has ended.
      const { seen } = globalThis as unknown as { readonly seen: readonly string[] }
      assert.deepEqual(seen.slice(prepared), calls)
    })
  }
})

const ROOT = '- { username: root, email: r@example.org, password: a-long-password, is_superuser: true }\n'

/** Runs commands on a project with the hooks. @returns the calls of hooks since `work` began the last part */
async function callsOf(
  work: (project: TemporaryFolder, admin: (line: string, stdin?: string) => Promise<string>) => Promise<unknown>,
  files: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const seen: string[] = []
  Object.assign(globalThis, { seen })
  await using project = await makeProject({ ...SHOP_MODELS, ...HOOKS, 'seed/user.yaml': ROOT, ...files })
  await work(project, async (line, stdin = '') => {
    seen.length = 0
    const { code, stdout, stderr } = await runCli(line.split(' '), { cwd: project.path, stdin })
    assert.equal(code, 0, `${line}: ${stderr}`)
    return stdout
  })
  return seen
}

const IMPORT = 'import tag - --format csv'
const SEED = { 'seed/tag.yaml': '- { name: A }\n- { name: B }\n' }
const TAGS = ['export', 'tag', '--format', 'csv']

describe('of the commands,', () => {
  test('an import calls them, and ends after what runs after the commit', async () => {
    assert.deepEqual(await callsOf((_, admin) => admin(IMPORT, 'name\nA\nB\n')), together(created('A'), created('B')))
  })

  test('seeds and mock records call them before the commit only', async () => {
    const seeds = await callsOf((_, admin) => admin(IMPORT, 'name\nC\n'), SEED)
    assert.deepEqual(seeds, [...together(created('A'), created('B')).slice(0, 4), ...created('C')])
    const mocks = await callsOf((_, admin) => admin('mock tag --count 2 --seed 1'))
    assert.deepEqual(
      mocks.map((call) => call.slice(0, call.indexOf(':'))),
      ['beforeCreate tag', 'beforeCreate tag', 'validate tag', 'validate tag'],
    )
  })

  test('an import with --keep-ids calls none', async () => {
    const calls = await callsOf(async ({ path }, admin) => {
      await admin(`${IMPORT} --keep-ids`, 'id,name\n7,A\n9,Bad\n')
      assert.equal((await runCli(TAGS, { cwd: path })).stdout, 'id,name\r\n7,A\r\n9,Bad\r\n')
    })
    assert.deepEqual(calls, [])
  })

  test('saving and loading a snapshot calls none', { skip: NEEDS_DATA_FOLDER }, async () => {
    const calls = await callsOf(async ({ path }, admin) => {
      await admin('reset --yes --seed-data')
      await admin('snapshot save before')
      await admin(IMPORT, 'name\nC\n')
      await admin('snapshot load before --yes')
      assert.equal((await runCli(TAGS, { cwd: path })).stdout, 'id,name\r\n1,A\r\n2,B\r\n')
    }, SEED)
    assert.deepEqual(calls, [])
  })

  test('a reset calls none', async () => {
    const calls = await callsOf(async ({ path }, admin) => {
      await admin(IMPORT, 'name\nC\n')
      await admin('reset --yes')
      assert.equal((await runCli(TAGS, { cwd: path })).stdout, 'id,name\r\n')
    })
    assert.deepEqual(calls, [])
  })

  test('the rename of a field and a model calls none', async () => {
    const calls = await callsOf(async ({ path }, admin) => {
      await admin(IMPORT, 'name\nA\n')
      const model = join(path, 'models/tag.yaml')
      await writeFile(model, (await readFile(model, 'utf8')).replace('name: name', 'name: text, was: name'))
      const ledger = join(path, 'models/ledger.yaml')
      await writeFile(ledger, (await readFile(ledger, 'utf8')).replace('name: Ledger', 'name: Book\nwas: Ledger'))
      await writeFile(
        join(path, 'hooks/book.ts'),
        (await readFile(join(path, 'hooks/ledger.ts'), 'utf8')).replace("'ledger'", "'book'"),
      )
      await writeFile(join(path, 'hooks/ledger.ts'), 'export default []\n')
      assert.equal(await admin('export tag --format csv'), 'id,text\r\n1,A\r\n')
    })
    assert.deepEqual(calls, [])
  })
})
