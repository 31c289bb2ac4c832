import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DEFAULTS, resolveSettings, type SettingsInput } from '../../src/config/settings.ts'
import { flatSource } from '../../src/config/source.ts'
import { durationMs, postgresPlace } from '../../src/config/store-settings.ts'
import { codeFrame } from '../../src/lint/formats.ts'
import { linesOf } from './marks.ts'
import { assertFaults } from './projects.ts'

interface Layers {
  readonly file?: unknown
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly flags?: SettingsInput
}

function resolve({ file, env = {}, flags = {} }: Layers) {
  const definition = file === undefined ? undefined : { value: file, source: flatSource('admin.config.yaml') }
  const { settings, faults } = resolveSettings(definition, env, flags)
  return { store: settings.store, lines: linesOf(faults.list) }
}

const PASSWORD = 'Tr0ub4dor'
const URL_WITH_PASSWORD = `postgres://shop:${PASSWORD}@db.example.com:5432/shop?sslmode=verify-full`
const DEFAULT = { schema: 'admin', pool: 10, statement_timeout: '30s', migrate: 'additive' }

describe('the setting store', () => {
  const rows: readonly (Layers & { name: string; expected: unknown })[] = [
    { name: 'embedded by default', expected: 'embedded' },
    { name: 'a URL', file: { store: URL_WITH_PASSWORD }, expected: { url: URL_WITH_PASSWORD, ...DEFAULT } },
    {
      name: 'a URL of the other scheme',
      file: { store: 'postgresql://db/shop' },
      expected: { url: 'postgresql://db/shop', ...DEFAULT },
    },
    {
      name: 'a section',
      file: { store: { url: 'postgres://db/shop', schema: 'shop', pool: 3, statement_timeout: '500ms', migrate: 'never' } },
      expected: { url: 'postgres://db/shop', schema: 'shop', pool: 3, statement_timeout: '500ms', migrate: 'never' },
    },
    {
      name: 'the address for notifications',
      file: { store: { url: 'postgres://pooler/shop', listen_url: URL_WITH_PASSWORD } },
      expected: { url: 'postgres://pooler/shop', listen_url: URL_WITH_PASSWORD, ...DEFAULT },
    },
    {
      name: 'a URL of the environment, with the other members of the file',
      file: { store: { url: 'postgres://db/shop', pool: 3 } },
      env: { ADMIN_STORE: 'postgres://other/shop' },
      expected: { url: 'postgres://other/shop', ...DEFAULT, pool: 3 },
    },
    {
      name: 'a section without a URL, which the environment has',
      file: { store: { schema: 'shop' } },
      env: { ADMIN_STORE: 'postgres://db/shop' },
      expected: { url: 'postgres://db/shop', ...DEFAULT, schema: 'shop' },
    },
    {
      name: 'a member of the environment',
      file: { store: 'postgres://db/shop' },
      env: { ADMIN_STORE__POOL: '4' },
      expected: { url: 'postgres://db/shop', ...DEFAULT, pool: 4 },
    },
    {
      name: 'embedded in the environment over a URL in the file',
      file: { store: 'postgres://db/shop' },
      env: { ADMIN_STORE: 'embedded' },
      expected: 'embedded',
    },
  ]
  for (const { name, expected, ...layers } of rows) {
    test(name, () => assert.deepEqual(resolve(layers), { store: expected, lines: [] }))
  }

  const url = 'must be a URL such as postgres://user@host:5432/database'
  const rejected: readonly (readonly [unknown, string])[] = [
    ['sqlite', "'store' must be 'embedded', or a URL such as postgres://user@host:5432/database"],
    ['', "'store' must be 'embedded', or a URL such as postgres://user@host:5432/database"],
    [`mysql://shop:${PASSWORD}@db/shop`, "'store' must be 'embedded', or a URL such as postgres://user@host:5432/database"],
    [
      `postgres://shop:${PASSWORD}#1@db/shop`,
      "'store' is not a valid URL; write it as postgres://user@host:5432/database, with special characters of user name and password percent-encoded (@ is %40)",
    ],
    [5, "'store' must be 'embedded', or a URL such as postgres://user@host:5432/database, or a mapping with a url"],
    [{ url: `http://${PASSWORD}@db` }, `'store.url' ${url}`],
    [{ url: 'postgres://db/shop', listen_url: `db:${PASSWORD}` }, `'store.listen_url' ${url}`],
    [{ url: 'postgres://db/shop', pool: 1 }, "'store.pool' must be greater than or equal to 2"],
    [{ url: 'postgres://db/shop', pool: 1001 }, "'store.pool' must be less than or equal to 1000"],
    [{ url: 'postgres://db/shop', migrate: 'always' }, "'store.migrate' must be one of [additive, never]"],
    [
      { url: 'postgres://db/shop', statement_timeout: '30' },
      "'store.statement_timeout' must be a duration such as 30s, 500ms or 2min, and at most 60min",
    ],
    [
      { url: 'postgres://db/shop', statement_timeout: '61min' },
      "'store.statement_timeout' must be a duration such as 30s, 500ms or 2min, and at most 60min",
    ],
    [{ url: 'postgres://db/shop', statement_timeout: 30 }, "'store.statement_timeout' must be a string"],
    [
      { url: 'postgres://db/shop', schema: 'pg_shop' },
      "'store.schema' must be the name of a schema such as admin: at most 63 letters, digits, _ or -, not beginning with pg_",
    ],
    [{ url: 'postgres://db/shop', pol: 1 }, "Unknown key 'pol'; did you mean 'pool'?"],
    [{ pool: 3 }, "'store' has no url; add one such as postgres://user@host:5432/database, or set ADMIN_STORE to it"],
  ]
  for (const [store, message] of rejected) {
    test(`rejected: ${JSON.stringify(store)}`, () => {
      const { lines } = resolve({ file: { store } })
      assert.deepEqual(lines, [`admin.config.yaml:1:1: ${message}`])
      assert.ok(!lines.join().includes(PASSWORD))
    })
  }

  test('a fault of the environment names the variable and not its value', () => {
    const { lines } = resolve({ env: { ADMIN_STORE: `postgress://shop:${PASSWORD}@db/shop` } })
    assert.deepEqual(lines, [
      "environment ADMIN_STORE:1:1: 'store' must be 'embedded', or a URL such as postgres://user@host:5432/database",
    ])
  })

  test('a section without a URL is reported by its position in the file, or for the environment', async () => {
    await assertFaults({ 'admin.config.yaml': 'port: 1\nstore: »{ pool: 3 }\n' }, [
      "'store' has no url; add one such as postgres://user@host:5432/database, or set ADMIN_STORE to it",
    ])
    assert.deepEqual(resolve({ env: { ADMIN_STORE__POOL: '3' } }).lines, [
      "environment ADMIN_STORE:1:1: 'store' has no url; add one such as postgres://user@host:5432/database, or set ADMIN_STORE to it",
    ])
  })

  test('a data folder on the command line is rejected with a database, one in the file is not', () => {
    const message =
      "command line:1:1: --data names a data folder, which the setting 'store' does not use; leave it out, or set ADMIN_STORE=embedded"
    assert.deepEqual(resolve({ file: { store: 'postgres://db/shop' }, flags: { data: '/srv/data' } }).lines, [message])
    assert.deepEqual(resolve({ file: { store: 'postgres://db/shop', data: 'elsewhere' } }).lines, [])
    assert.deepEqual(resolve({ flags: { data: '/srv/data' } }), { store: DEFAULTS.store, lines: [] })
  })
})

test('durations are read in three units', () => {
  const texts = ['30s', '500ms', '2min', '1.5s', '0ms', '30', 's', '30 s', '-1s', '1h', '30S']
  assert.deepEqual(texts.map(durationMs), [30_000, 500, 120_000, 1500, 0, ...Array(6).fill(Number.NaN)])
})

describe('a password in the URL is not shown', () => {
  const places: readonly (readonly [string, string])[] = [
    [URL_WITH_PASSWORD, 'postgres://shop@db.example.com:5432/shop, schema admin'],
    [`postgres://db/shop?user=shop&password=${PASSWORD}`, 'postgres://db/shop, schema admin'],
    ['postgres://shop@/shop?host=/run/pg&port=5433', 'postgres://shop@/run/pg/shop, schema admin'],
    ['postgres:///shop?host=/var/run/postgresql', 'postgres:///var/run/postgresql/shop, schema admin'],
  ]
  for (const [url, place] of places) {
    test(`the place of ${place}`, () => assert.equal(postgresPlace({ url, ...DEFAULT, migrate: 'additive' }), place))
  }

  test('in the code frame of a finding, whose columns stay', () => {
    const text = `store: mysql://shop:${PASSWORD}@db/shop # wrong\nport: 1\n`
    const frame = codeFrame(text, { line: 1, column: 8, end: { line: 1, column: 12 } }, (_, words) => words)
    assert.equal(frame, '  1 | store: mysql://shop:*********@db/shop # wrong\n    |        ^^^^\n  2 | port: 1')
  })
})
