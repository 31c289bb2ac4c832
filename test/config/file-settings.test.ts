import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { resolveSettings } from '../../src/config/settings.ts'
import { flatSource } from '../../src/config/source.ts'
import { linesOf } from './marks.ts'
import { assertFaults } from './projects.ts'

const DATABASE = 'postgres://user@host/database'

function resolve(
  files: unknown,
  { store = DATABASE, env = {} }: { store?: string; env?: Readonly<Record<string, string>> } = {},
) {
  const { settings, faults } = resolveSettings({ value: { store, files }, source: flatSource('admin.config.yaml') }, env, {})
  return { files: settings.files, lines: linesOf(faults.list).join('\n') }
}

const DEFAULT_FILES = { max_size: 2 ** 30, pending_hours: 24, pending_bytes: 2 ** 30, keep_removed_days: 1, min_free: 2 ** 28 }

describe('the setting files', () => {
  const accepted: readonly (readonly [object, object])[] = [
    [{}, {}],
    [{ max_size: '50 MiB' }, { max_size: 50 * 2 ** 20 }],
    [
      { max_size: 1000, pending_bytes: '1.5GiB' },
      { max_size: 1000, pending_bytes: 1.5 * 2 ** 30 },
    ],
    [
      { min_free: 0, keep_removed_days: 0, pending_hours: 0.5 },
      { min_free: 0, keep_removed_days: 0, pending_hours: 0.5 },
    ],
    [{ store: '/shared/folder' }, { store: '/shared/folder' }],
  ]
  for (const [given, expected] of accepted) {
    test(`accepts ${JSON.stringify(given)}`, () =>
      assert.deepEqual(resolve(given), { files: { ...DEFAULT_FILES, ...expected }, lines: '' }))
  }

  const refused: readonly (readonly [object, RegExp])[] = [
    [
      { max_size: '8 MB' },
      /'files\.max_size' must be a number of bytes, or a text such as 8 MiB \(KiB, MiB, GiB\), from 1 byte to 1048576 GiB/,
    ],
    [{ max_size: 0 }, /'files\.max_size' must be/],
    [{ max_size: '' }, /'files\.max_size'/],
    [{ max_size: true }, /'files\.max_size' must be a number of bytes/],
    [{ pending_bytes: 1.5 }, /'files\.pending_bytes' must be/],
    [{ min_free: -1 }, /'files\.min_free' must be/],
    [{ min_free: '9999999 GiB' }, /'files\.min_free' must be/],
    [{ pending_hours: 0 }, /'files\.pending_hours' must be a positive number/],
    [{ keep_removed_days: -1 }, /'files\.keep_removed_days' must be greater/],
    [{ store: '' }, /'files\.store'/],
    [{ max_sise: 1 }, /Unknown key 'max_sise'; did you mean 'max_size'\?/],
  ]
  for (const [given, message] of refused) {
    test(`refuses ${JSON.stringify(given)}`, () => assert.match(resolve(given).lines, message))
  }

  test('is read from the environment', () => {
    const env = { ADMIN_FILES__MAX_SIZE: '2 GiB', ADMIN_FILES__MIN_FREE: '1024', ADMIN_FILES__PENDING_HOURS: '1' }
    assert.deepEqual(resolve({ max_size: 1, pending_bytes: 5 }, { env }), {
      files: { ...DEFAULT_FILES, max_size: 2 ** 31, pending_bytes: 5, min_free: 1024, pending_hours: 1 },
      lines: '',
    })
  })

  test('has no folder with the embedded store, by position', async () => {
    await assertFaults({ 'admin.config.yaml': 'files:\n  max_size: 1 MiB\n  store: »/shared/folder\n' }, [
      "'files.store' is for PostgreSQL: the embedded store keeps files in its data folder; remove it, or move the data folder with 'data'",
    ])
    assert.match(
      resolve({}, { store: 'embedded', env: { ADMIN_FILES__STORE: '/shared' } }).lines,
      /^environment ADMIN_FILES__STORE:1:1: 'files\.store' is for PostgreSQL/,
    )
  })
})
