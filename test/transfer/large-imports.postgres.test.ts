import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { after, before, describe, test } from 'node:test'
import { type App, openApp } from '../../src/app.ts'
import { SHELL } from '../../src/auth/permissions.ts'
import { AppError } from '../../src/errors.ts'
import { HISTORY } from '../../src/history/history-recorder.ts'
import { jwtCodec } from '../../src/http/jwt-codec.ts'
import { loadProject } from '../../src/project/project.ts'
import type { FileImportOptions } from '../../src/transfer/imports.ts'
import { quickHasher } from '../helpers/api/app.ts'
import { ADMIN_BIN } from '../helpers/cli/process.ts'
import { repetitions } from '../helpers/counts.ts'
import { type DatabaseProject, databaseProject } from '../helpers/postgres/cli-project.ts'
import { NO_POSTGRES } from '../helpers/postgres/server.ts'

/** More rows than are written at once. */
const COUNT = 12_000

const FILES = {
  'admin.config.yaml': 'history: { days: 30 }\n',
  'models/item.yaml': `
name: Item
label: Items
fields:
  - { name: code, type: string, unique: true }
  - { name: amount, type: integer, required: true, gte: 0 }
`,
}

const row = (number: number) => ({ code: `c${number}`, amount: number })
const rows = () => Array.from({ length: COUNT }, (_, index): Record<string, unknown> => row(index + 1))
const ndjson = (all: readonly object[]) => all.map((each) => `${JSON.stringify(each)}\n`)

describe('an import of more rows than are written at once', { skip: NO_POSTGRES }, () => {
  let project: DatabaseProject
  let app: App
  let opened = 0

  before(async () => {
    project = await databaseProject(FILES)
    const loaded = await loadProject({ folder: project.folder.path, env: project.env, flags: {} })
    app = await openApp(loaded, 'write', { tokenCodec: jwtCodec, hasher: quickHasher })
  })
  after(async () => {
    await app.close()
    await project.remove()
  })

  const run = (all: readonly object[], options: FileImportOptions = {}) => {
    opened = 0
    const open = () => {
      opened += 1
      return ndjson(all)
    }
    return app.imports.run(SHELL, 'item', { format: 'ndjson', open }, options)
  }
  const totalOf = async (table: string, field: string, value: string | number): Promise<number> =>
    (await app.store.find(table, { filters: [{ field, operator: 'eq', value }], sort: [], offset: 0, limit: 1 })).total
  const total = async () => (await app.store.find('item', { filters: [], sort: [], offset: 0, limit: 1 })).total

  const refused = async (all: readonly object[], options?: FileImportOptions) => {
    const error = await run(all, options).then(
      () => assert.fail('The import was accepted'),
      (thrown: unknown) => thrown,
    )
    assert.ok(error instanceof AppError && error.code === 'VALIDATION_FAILED', String(error))
    return error.details
  }

  test('a dry run counts the rows and stores none', async () => {
    assert.deepEqual(await run(rows(), { dryRun: true }), { created: COUNT, updated: 0, total: COUNT, ignored: [] })
    assert.equal(await total(), 0)
  })

  test('errors of all parts are told by row, and nothing is stored', async () => {
    const faulty = rows()
    faulty[2] = { code: 'c3', amount: 'many' }
    faulty[5000] = { code: 'c7' }
    faulty[11_999] = { code: 'c2', amount: 1 }
    assert.deepEqual(await refused(faulty), {
      '3.amount': ['amount must be an integer'],
      '5001.amount': ['amount is mandatory'],
      '5001.code': ['code must be unique'],
      '12000.code': ['code must be unique'],
    })
    assert.equal(await total(), 0)
  })

  test('a row that cannot be read is told without what would be missing in it', async () => {
    const content = ndjson(rows())
    content[11_000] = '{"code":\n'
    const file = { format: 'ndjson', open: () => content } as const
    await assert.rejects(app.imports.run(SHELL, 'item', file), (error: AppError) => {
      assert.deepEqual(Object.keys(error.details), ['11001.row'])
      return true
    })
    assert.equal(await total(), 0)
  })

  test('the errors stop at a limit', async () => {
    const details = await refused(rows().map(({ code }) => ({ code })))
    assert.equal(Object.keys(details).length, 1001)
    assert.ok('more' in Object(details))
  })

  test('all rows are stored with their history, and the file is not kept', async () => {
    assert.deepEqual(await run(rows()), { created: COUNT, updated: 0, total: COUNT, ignored: [] })
    // Once until it is known to be large, and once to store it.
    assert.equal(opened, 2)
    assert.equal(await total(), COUNT)
    assert.equal(await totalOf(HISTORY, 'action', 'create'), COUNT)
    const [first, last] = await Promise.all(['c1', `c${COUNT}`].map((code) => app.store.find('item', byCode(code))))
    assert.deepEqual([first?.records[0]?.amount, last?.records[0]?.amount], [1, COUNT])
  })

  test('rows are refused whose unique values are stored', async () => {
    const all = rows().map((each, index) => (index === 11_500 ? each : { ...each, code: `new ${index}` }))
    assert.deepEqual(await refused(all), { '11501.code': ['code must be unique'] })
    assert.equal(await total(), COUNT)
  })

  test('an upsert updates and creates; two rows with one value contradict each other', async () => {
    const all: Record<string, unknown>[] = rows().map((each) => ({ ...each, amount: 7 }))
    all.push({ code: 'added', amount: 8 })
    assert.deepEqual(await run(all, { upsertBy: 'code' }), { created: 1, updated: COUNT, total: COUNT + 1, ignored: [] })
    assert.equal(await totalOf('item', 'amount', 7), COUNT)
    // One of them had this amount before.
    assert.equal(await totalOf(HISTORY, 'action', 'update'), COUNT - 1)
    assert.deepEqual(await refused([...all, { code: 'c10', amount: 1 }], { upsertBy: 'code' }), {
      [`${COUNT + 2}.code`]: ['code is also that of row 10'],
    })
  })

  test('memory does not depend on the number of rows, also of standard input', async () => {
    const many = repetitions(60_000, 150_000)
    const args = [ADMIN_BIN, 'import', 'item', '-', '--format', 'ndjson', '--project', project.folder.path]
    // A row that is kept takes about 2 kB.
    const env = { ...process.env, ...project.env, NODE_OPTIONS: '--max-old-space-size=64' }
    const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'ignore', 'pipe'] })
    const lines = function* () {
      for (let number = 1; number <= many; number++) yield `${JSON.stringify({ code: `m${number}`, amount: 77 })}\n`
    }
    const [stderr] = await Promise.all([text(child.stderr), pipeline(lines, child.stdin), once(child, 'close')])
    assert.equal(stderr, `Imported ${many} records\n`)
    assert.equal(await totalOf('item', 'amount', 77), many)
  })
})

const byCode = (code: string) =>
  ({ filters: [{ field: 'code', operator: 'eq', value: code }], sort: [], offset: 0, limit: 1 }) as const
