import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { checkListening, resultsOf } from '../../../src/cli/health-database.ts'
import type { PostgresSettings } from '../../../src/config/settings.ts'
import type { Examination } from '../../../src/store/postgres/examination.ts'
import type { Step } from '../../../src/store/postgres/schema/plan-draft.ts'

const settings: PostgresSettings = {
  url: 'postgres://shop:secret@db/shop',
  schema: 'admin',
  pool: 10,
  statement_timeout: '30s',
  migrate: 'additive',
}
type Plan = NonNullable<Examination['plan']>
const plan = (...steps: Step[]): Plan => ({
  steps,
  comments: [],
  locked: [],
  unused: [],
  isBuilding: false,
  recorded: new Map(),
  state: { fingerprint: '', functions: {} },
})
const step = (phase: Step['phase'], kind: Step['class'], reason: string): Step => ({ phase, class: kind, reason, statements: [] })

const sound: Examination = {
  version: { text: '15.4', major: 15 },
  user: 'shop',
  missingRights: [],
  plan: plan(),
  trigrams: 'installed',
  unfitSettings: [],
  clockDifference: 0,
}

describe('rating what a check of a database has found', () => {
  test('all is well', () => {
    const results = Object.values(resultsOf(sound, settings))
    assert.deepEqual([...new Set(results.map(({ level }) => level))], ['ok'])
    assert.equal(resultsOf(sound, settings).connection?.message, 'postgres://shop@db/shop, schema admin, as shop')
  })

  const rows: readonly (readonly [
    name: string,
    Partial<Examination>,
    check: keyof ReturnType<typeof resultsOf>,
    string,
    RegExp,
  ])[] = [
    ['an old server', { version: { text: '13.9', major: 13 } }, 'version', 'fail', /13\.9 is too old; version 14 or later/],
    ['missing rights', { missingRights: ['create on database shop'] }, 'rights', 'fail', /^shop lacks create on database shop$/],
    ['no tables yet', { plan: undefined }, 'tables', 'ok', /the first start creates them/],
    [
      'a step that a start applies',
      { plan: plan(step('column', 'additive', "'tag' lacks the column color")) },
      'tables',
      'warn',
      /^1 step between the tables and the models \('tag' lacks the column color\); a start applies them$/,
    ],
    [
      'a step that a start does not apply',
      { plan: plan(step('constraint', 'checked', "'tag.name' becomes unique")) },
      'tables',
      'fail',
      /run admin migrate --plan$/,
    ],
    [
      'an invalid index',
      { plan: plan(step('index', 'additive', 'The index tag_name_idx is not complete')) },
      'indexes',
      'warn',
      /^1 index is missing or invalid \(The index tag_name_idx is not complete\); a start applies them$/,
    ],
    [
      'no pg_trgm',
      { trigrams: 'available' },
      'search',
      'warn',
      /icontains.*read the whole table\. Install it: create extension pg_trgm$/,
    ],
    ['a clock ahead', { clockDifference: 2500 }, 'clock', 'warn', /^the clock of the server is 2\.5 s ahead/],
    ['a clock behind', { clockDifference: -90_000 }, 'clock', 'warn', /^the clock of the server is 90\.0 s behind/],
  ]
  for (const [name, found, check, level, message] of rows) {
    test(name, () => {
      const result = resultsOf({ ...sound, ...found }, settings)[check]
      assert.equal(result?.level, level)
      assert.match(result?.message ?? '', message)
    })
  }

  test('with migrate: never, a start applies no index either', () => {
    const found = { ...sound, plan: plan(step('index', 'additive', 'The index a is not complete')) }
    assert.equal(resultsOf(found, { ...settings, migrate: 'never' }).indexes?.level, 'fail')
  })

  test('notifications that do not arrive need the address of the server itself', () => {
    assert.equal(checkListening(true, settings).level, 'ok')
    const { level, message } = checkListening(false, settings)
    assert.equal(level, 'warn')
    assert.match(message, /read once a second; if store\.url is that of a pooler .* set store\.listen_url/)
    const set = checkListening(false, { ...settings, listen_url: 'postgres://shop:secret@elsewhere/shop' })
    assert.match(set.message, /set store\.listen_url to the address of the server itself, with the same database/)
    assert.doesNotMatch(set.message, /secret/)
  })
})
