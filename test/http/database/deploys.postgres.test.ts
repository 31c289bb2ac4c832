import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { STORE_MIGRATIONS } from '../../../src/store/postgres/schema/store-migrations.ts'
import { identifier, sql } from '../../../src/store/postgres/sql.ts'
import type { RunningServer } from '../../helpers/cli/process.ts'
import { succeeded } from '../../helpers/postgres/cli-project.ts'
import {
  ask,
  assertAllThere,
  BEFORE,
  Load,
  type Models,
  type Release,
  readiness,
  type Statuses,
  type Writer,
  withReleases,
} from '../../helpers/postgres/releases.ts'
import { NO_POSTGRES, sharedDatabase } from '../../helpers/postgres/server.ts'

const BASE = ['name: mark, type: string, required: true', 'name: count, type: integer']

/** The statuses of an earlier release that goes on. */
const GOES_ON = [200, 201]

/** The message of a start that is refused. */
async function refusalOf(release: Release): Promise<string> {
  const { code, stderr } = await release.admin('serve --port 0')
  assert.equal(code, 1)
  return stderr
}

/** Asserts that every model of a load was answered as by a release that goes on. */
function assertGoesOn(...rounds: Statuses[]): void {
  for (const statuses of rounds) for (const [model, seen] of statuses) assert.deepEqual([...seen].sort(), GOES_ON, model)
}

/** Models that refer to `parent`, by what they do when their record there is deleted. */
const referrers = (rules: Readonly<Record<string, string>>): Models =>
  Object.fromEntries(
    Object.entries(rules).map(([name, rule]) => [name, [`name: parent_id, type: foreignkey, model: parent, on_delete: ${rule}`]]),
  )

const writersOf = (...models: string[]): Writer[] => models.map((model) => ({ model }))

describe('a deploy beside processes of the earlier release', { skip: NO_POSTGRES }, () => {
  test('new fields and models, wider types and limits: every process goes on, and one of the earlier release starts', async () => {
    const first: Models = {
      Optional: BASE,
      Mandatory: BASE,
      Empty: BASE,
      Number: [...BASE, 'name: size, type: integer'],
      Decimal: [...BASE, 'name: size, type: integer'],
      Limit: [...BASE, 'name: text, type: string, max_length: 5'],
      Loose: [...BASE, 'name: code, type: string, max_length: 20, required: true, unique: true'],
      Parent: BASE,
      ...referrers({ Freed: 'restrict', Held: 'cascade', Nulled: 'cascade' }),
    }
    const second: Models = {
      Optional: [...BASE, 'name: subtitle, type: string'],
      Mandatory: [...BASE, 'name: state, type: string, required: true, default: new'],
      Empty: [...BASE, 'name: state, type: string, required: true, default: new'],
      Number: [...BASE, 'name: size, type: number'],
      Decimal: [...BASE, 'name: size, type: decimal'],
      Limit: [...BASE, 'name: text, type: string, max_length: 9'],
      Loose: [...BASE, 'name: code, type: string, max_length: 20'],
      Parent: BASE,
      Child: ['name: parent_id, type: foreignkey, model: parent'],
      Dependent: ['name: parent_id, type: foreignkey, model: parent, on_delete: cascade'],
      ...referrers({ Freed: 'cascade', Held: 'restrict', Nulled: 'set_null' }),
    }
    await withReleases(async ({ release, headers: login }) => {
      const [former, present] = [await release(first, BEFORE), await release(second)]
      const old = await former.serve()
      const headers = await login(former)
      const sizes = (index: number) => ({ size: index })
      const writers: Writer[] = [
        ...writersOf('optional', 'mandatory', 'limit', 'parent'),
        { model: 'number', data: sizes },
        { model: 'decimal', data: sizes },
      ]
      const load = new Load(old, headers, [...writers, { model: 'loose', data: (index) => ({ code: `old-${index}` }) }], 'old')
      await load.round()
      const current = await present.serve()
      const other = new Load(current, headers, writers, 'present')
      assertGoesOn(await load.round(), await other.round())
      assert.deepEqual([await readiness(old), await readiness(current)], [200, 200])

      // What each writes, the other reads.
      const empty = await ask(old, headers, 'POST', 'empty', { mark: 'first' })
      assert.equal(empty.status, 201)
      assert.equal((await ask(current, headers, 'GET', `empty/${empty.json.data.id}`)).json.data.state, 'new')
      assert.equal((await ask(current, headers, 'GET', 'optional?filters=mark=old 0')).json.data[0].subtitle, null)
      for (const model of ['number', 'decimal']) {
        const sized = await ask(current, headers, 'POST', model, { mark: 'half', size: 0.5 })
        const half = await ask(old, headers, 'GET', `${model}/${sized.json.data.id}`)
        assert.deepEqual([half.status, Number(half.json.data.size)], [200, 0.5])
        assert.equal((await ask(old, headers, 'GET', `${model}?filters=size__in=1,2`)).status, 200)
      }
      const long = await ask(current, headers, 'POST', 'limit', { mark: 'long', text: 'longer' })
      assert.equal((await ask(old, headers, 'GET', `limit/${long.json.data.id}`)).json.data.text, 'longer')
      assert.equal((await ask(old, headers, 'POST', 'limit', { mark: 'long', text: 'longer' })).status, 400)
      const loose = await ask(current, headers, 'POST', 'loose', { mark: 'loose' })
      assert.equal((await ask(old, headers, 'GET', `loose/${loose.json.data.id}`)).json.data.code, null)
      assert.equal((await ask(old, headers, 'POST', 'loose', { mark: 'loose' })).status, 400)
      const subtitled = await ask(current, headers, 'POST', 'optional', { mark: 'sub', subtitle: 'kept' })
      const { id } = subtitled.json.data
      assert.equal((await ask(old, headers, 'PATCH', `optional/${id}`, { mark: 'changed' })).status, 200)
      assert.equal((await ask(current, headers, 'GET', `optional/${id}`)).json.data.subtitle, 'kept')
      assert.equal((await ask(current, headers, 'GET', 'optional/search?q=kept')).json.total, 1)
      assert.equal((await ask(old, headers, 'GET', 'optional/search?q=kept')).json.total, 0)
      assert.equal((await ask(old, headers, 'GET', 'optional/search?q=changed')).json.total, 1)

      // An `ETag` of one release is that of the other, unless their fields differ.
      const parent = await ask(old, headers, 'POST', 'parent', { mark: 'parent' })
      const tagOf = async (server: RunningServer, path: string) =>
        (await fetch(`${server.address}/api/v1/models/${path}`, { headers })).headers.get('etag') ?? ''
      const conditional = async (path: string) => {
        const ifMatch = { ...headers, 'if-match': await tagOf(old, path) }
        const { status } = await ask(current, ifMatch, 'PATCH', path, { count: 2 })
        return [
          status,
          (await ask(current, { ...headers, 'if-match': await tagOf(current, path) }, 'PATCH', path, { count: 3 })).status,
        ]
      }
      assert.deepEqual(await conditional(`parent/${parent.json.data.id}`), [200, 200])
      assert.deepEqual(await conditional(`optional/${id}`), [412, 200])

      // A deletion that a model of the later release forbids, or follows without an entry in the history.
      await ask(current, headers, 'POST', 'child', { parent_id: parent.json.data.id })
      const deletion = await ask(old, headers, 'DELETE', `parent/${parent.json.data.id}`)
      assert.equal(deletion.status, 409)
      const followed = await ask(old, headers, 'POST', 'parent', { mark: 'followed' })
      const dependent = (await ask(current, headers, 'POST', 'dependent', { parent_id: followed.json.data.id })).json.data.id
      assert.equal((await ask(old, headers, 'DELETE', `parent/${followed.json.data.id}`)).status, 200)
      assert.equal((await ask(current, headers, 'GET', `dependent/${dependent}`)).status, 404)
      assert.equal((await ask(current, headers, 'GET', `dependent/${dependent}/history`)).json.total, 1)

      // Each release does what its own `on_delete` says.
      const deleted = async (server: RunningServer, model: string) => {
        const target = await ask(server, headers, 'POST', 'parent', { mark: model })
        const referrer = await ask(server, headers, 'POST', model, { parent_id: target.json.data.id })
        const { status } = await ask(server, headers, 'DELETE', `parent/${target.json.data.id}`)
        const left = await ask(current, headers, 'GET', `${model}/${referrer.json.data.id}`)
        return [status, left.status, left.json.data?.parent_id]
      }
      for (const [server, model] of [
        [old, 'freed'],
        [current, 'held'],
      ] as const) {
        const [status, left] = await deleted(server, model)
        assert.deepEqual([status, left], [409, 200], model)
      }
      for (const [server, model] of [
        [current, 'freed'],
        [old, 'held'],
        [old, 'nulled'],
      ] as const)
        assert.deepEqual(await deleted(server, model), [200, 404, undefined], model)
      assert.deepEqual(await deleted(current, 'nulled'), [200, 200, null])
      if (BEFORE === undefined) {
        assert.match(deletion.json.details, /^Rows of the table 'child' refer to the records/)
        const again = await former.serve()
        assert.equal(await readiness(again), 200)
        const late = new Load(again, headers, writers, 'again')
        assertGoesOn(await late.round())
        await late.stop()
        const { stderr } = await again.stop()
        assert.match(stderr, /The models are those of an earlier release; the tables stay/)
        await assertAllThere(current, headers, [late])
        assert.match((await present.admin('migrate --plan')).stderr, /is up to date/)
        assert.match((await former.admin('migrate --plan')).stderr, /those of an earlier release: a start applies nothing/)
      }
      await load.stop()
      await other.stop()
      await assertAllThere(current, headers, [load, other])
      await assertAllThere(old, headers, [load, other])
    })
  })

  test('unique, mandatory, narrower limits and dropped fields by --apply: the earlier release goes on within the new limits', async () => {
    const first: Models = {
      Unique: [...BASE, 'name: code, type: string, max_length: 50'],
      Short: [...BASE, 'name: text, type: string, max_length: 9'],
      Needed: [...BASE, 'name: text, type: string'],
      Dropped: [...BASE, 'name: text, type: string, required: true', 'name: unused, type: string'],
      Gone: BASE,
      Refers: [...BASE, 'name: short_id, type: integer'],
      Amount: [...BASE, 'name: size, type: number'],
      Retyped: [...BASE, 'name: text, type: string'],
      Narrowed: [...BASE, 'name: size, type: number'],
      Renamed: [...BASE, 'name: headline, type: string', 'name: title, type: string'],
      Recast: [...BASE, 'name: amount, type: string', 'name: size, type: integer'],
      Filled: [...BASE, 'name: text, type: string, default: none'],
    }
    // The first of two steps: a field under another name or of another type beside the former one, a default.
    const zeroth: Models = {
      ...first,
      Renamed: [...BASE, 'name: headline, type: string'],
      Recast: [...BASE, 'name: amount, type: string'],
      Filled: [...BASE, 'name: text, type: string'],
    }
    const { Gone: _, ...kept } = first
    const second: Models = {
      ...kept,
      Refers: [...BASE, 'name: short_id, type: foreignkey, model: short'],
      Amount: [...BASE, 'name: size, type: decimal'],
      Unique: [...BASE, 'name: code, type: string, max_length: 50, unique: true'],
      Short: [...BASE, 'name: text, type: string, max_length: 3'],
      Needed: [...BASE, 'name: text, type: string, required: true, default: none'],
      Dropped: BASE,
      // The second of two steps.
      Renamed: [...BASE, 'name: title, type: string'],
      Recast: [...BASE, 'name: size, type: integer'],
      Filled: [...BASE, 'name: text, type: string, required: true, default: none'],
    }
    const third: Models = {
      ...second,
      Retyped: [...BASE, 'name: text, type: integer'],
      Narrowed: [...BASE, 'name: size, type: integer'],
    }
    await withReleases(async ({ release, headers: login, schema }) => {
      const [former, present, later] = [await release(first), await release(second), await release(third)]
      const initial = await release(zeroth, BEFORE)
      const oldest = await initial.serve()
      const headers = await login(initial)
      const formerWriters: Writer[] = [
        { model: 'renamed', data: () => ({ headline: 'text' }) },
        { model: 'recast', data: () => ({ amount: '7' }) },
        ...writersOf('filled'),
      ]
      const formerLoad = new Load(oldest, headers, formerWriters, 'first')
      await formerLoad.round()
      const old = await former.serve()
      assertGoesOn(await formerLoad.round())
      const writers: Writer[] = [
        { model: 'unique', data: (index) => ({ code: `old-${index}` }) },
        { model: 'short', data: () => ({ text: 'abc' }) },
        { model: 'needed', data: () => ({ text: 'given' }) },
        { model: 'dropped', data: () => ({ text: 'kept' }) },
        { model: 'amount', data: (index) => ({ size: index / 8 }) },
        { model: 'renamed', data: () => ({ headline: 'text', title: 'text' }) },
        { model: 'recast', data: () => ({ amount: '7', size: 7 }) },
        ...writersOf('gone', 'refers', 'filled'),
      ]
      const load = new Load(old, headers, writers, 'old')
      assertGoesOn(await load.round(), await formerLoad.round())
      await formerLoad.stop()
      await oldest.stop()
      assert.match(
        (await present.admin('migrate --plan')).stdout,
        /'text' of 'filled' is mandatory\n-- [1-9]\d* rows? (is|are) in the way/,
      )
      const database = await sharedDatabase()
      for (const [table, column, value] of [
        ['renamed', 'title', sql`"headline"`],
        ['recast', 'size', sql`"amount"::bigint`],
        ['filled', 'text', sql`'none'`],
      ] as const) {
        const name = identifier(column)
        await database.query(sql`update ${identifier(schema, table)} set ${name} = ${value} where ${name} is null`)
      }
      assert.match(await refusalOf(present), /A start applies additive steps only/)
      succeeded(await present.admin('migrate --apply'))
      assertGoesOn(await load.round())
      assert.equal(await readiness(old), 200)
      const current = await present.serve()
      assert.equal(await readiness(current), 200)
      const newWriters: Writer[] = [
        { model: 'renamed', data: () => ({ title: 'text' }) },
        { model: 'recast', data: () => ({ size: 7 }) },
        ...writersOf('filled', 'dropped', 'needed'),
      ]
      const newLoad = new Load(current, headers, newWriters, 'present')
      assertGoesOn(await newLoad.round(), await load.round())

      // What the earlier release permits and the later one does not is an error of the client.
      assert.equal((await ask(old, headers, 'POST', 'unique', { mark: 'twice', code: 'old-0' })).status, 400)
      const long = await ask(old, headers, 'POST', 'short', { mark: 'long', text: 'abcd' })
      assert.equal(long.status, 400)
      assert.deepEqual(Object.keys(long.json.detail.error), ['text'])
      // The column has the default of the later release.
      const none = await ask(old, headers, 'POST', 'needed', { mark: 'none' })
      assert.equal(none.status, 201)
      assert.equal((await ask(old, headers, 'GET', `needed/${none.json.data.id}`)).json.data.text, 'none')
      const emptied = await ask(old, headers, 'PATCH', `needed/${none.json.data.id}`, { text: null })
      assert.deepEqual([emptied.status, emptied.json.detail?.error], [400, { text: ['text is mandatory'] }])
      const nowhere = await ask(old, headers, 'POST', 'refers', { mark: 'nowhere', short_id: 9_999_999 })
      assert.deepEqual([nowhere.status, Object.keys(nowhere.json.detail?.error ?? {})], [400, ['short_id']])

      // The dropped field stays for the earlier release.
      const made = await ask(current, headers, 'POST', 'dropped', { mark: 'made' })
      const read = await ask(old, headers, 'GET', `dropped/${made.json.data.id}`)
      assert.deepEqual([read.status, read.json.data.text], [200, null])

      // Another type waits for the end of both processes: they would read and store other values.
      const refused = await later.admin('migrate --apply')
      assert.equal(refused.code, 1)
      assert.match(refused.stderr, /2 other processes serve the database, and could not go on .*; end them first/)
      assert.match(refused.stderr, /'text' of 'retyped' changes from text to bigint/)
      assert.match(refused.stderr, /'size' of 'narrowed' changes from double precision to bigint/)
      assert.match(await refusalOf(later), /2 other processes serve the database/)

      // When it is dropped for good, the earlier release is behind, and says so.
      const gone = await present.admin('migrate --apply --allow-destructive')
      assert.match(gone.stderr, /2 processes serve the database since before; restart those of an earlier release/)
      const statuses = await load.round()
      for (const model of ['dropped', 'gone', 'renamed', 'recast'])
        assert.deepEqual([...(statuses.get(model) ?? [])], [503], model)
      for (const model of ['unique', 'filled']) assert.deepEqual([...(statuses.get(model) ?? [])].sort(), GOES_ON)
      assertGoesOn(await newLoad.round())
      assert.deepEqual([await readiness(old), await readiness(current)], ['503 Tables have changed', 200])
      await load.stop()
      await newLoad.stop()
      assert.match(await refusalOf(former), /A later release has changed the tables, .* column 'text' of 'dropped' is missing/)
      load.created.delete('gone')
      await assertAllThere(current, headers, [formerLoad, load, newLoad])
      for (const [model, field] of [
        ['renamed', 'title'],
        ['recast', 'size'],
        ['filled', 'text'],
      ] as const) {
        const { total } = (await ask(current, headers, 'GET', `${model}?filters=${field}__isnull=true`)).json
        assert.equal(total, 0, model)
      }

      // With both gone, the types change.
      await old.stop()
      await current.stop()
      succeeded(await later.admin('migrate --apply'))
      assert.equal(await readiness(await later.serve()), 200)
    })
  })

  test('renames wait for --apply or for the end of other processes, whose requests are then 503', async () => {
    const first: Models = {
      Memo: [...BASE, 'name: body, type: string'],
      Link: [...BASE, 'name: memo_id, type: foreignkey, model: memo'],
      Post: [...BASE, 'name: body, type: string'],
      Strict: BASE,
      Other: BASE,
    }
    const second: Models = {
      Note: ['was: Memo', ...BASE, 'name: body, type: string'],
      Link: [...BASE, 'name: memo_id, type: foreignkey, model: note'],
      Post: [...BASE, 'name: text, type: string, was: body'],
      Strict: [...BASE, 'name: state, type: string, required: true'],
      Other: [...BASE, 'name: size, type: string', 'name: total, type: integer'],
    }
    const third: Models = { ...second, Other: [...BASE, 'name: length, type: string, was: size', 'name: total, type: string'] }
    await withReleases(async ({ release, headers: login }) => {
      const [former, present] = [await release(first, BEFORE), await release(second)]
      const old = await former.serve()
      const headers = await login(former)
      const memo = await ask(old, headers, 'POST', 'memo', { mark: 'memo', body: 'one' })
      const linked = { memo_id: memo.json.data.id }
      const texts = () => ({ body: 'text' })
      const writers = [
        { model: 'memo', data: texts },
        { model: 'post', data: texts },
        { model: 'link', data: () => linked },
        ...writersOf('other'),
      ]
      const load = new Load(old, headers, writers, 'old')
      await load.round()
      if (BEFORE === undefined) {
        assert.match(await refusalOf(present), /Another process serves the database, .*; end it first, or apply the steps/)
        const plan = await present.admin('migrate --plan')
        assert.equal(plan.code, 1)
        assert.match(plan.stderr, /1 process serves the database, so a start does not apply these steps/)
        assert.match(plan.stdout, /processes of an earlier release answer 503/)
        assertGoesOn(await load.round())
      }
      const applied = await present.admin('migrate --apply')
      assert.equal(applied.code, 0, applied.stderr)
      const statuses = await load.round()
      if (BEFORE === undefined) {
        for (const model of ['memo', 'post', 'link']) assert.deepEqual([...(statuses.get(model) ?? [])], [503], model)
        assert.equal(await readiness(old), '503 Tables have changed')
        const refused = await ask(old, headers, 'POST', 'strict', { mark: 'without' })
        assert.equal(refused.status, 409)
        assert.match(refused.json.details, /^The mandatory column 'state' of the table 'strict' refuses the write; /)
        assert.equal((await ask(old, headers, 'GET', 'strict')).status, 200)
      }
      assert.deepEqual([...(statuses.get('other') ?? [])].sort(), GOES_ON)
      const current = await present.serve()
      assert.equal(await readiness(current), 200)
      const newLoad = new Load(
        current,
        headers,
        [...writersOf('note', 'post', 'other'), { model: 'link', data: () => linked }],
        'present',
      )
      assertGoesOn(await newLoad.round())
      await newLoad.stop()
      if (BEFORE === undefined) await load.stop()
      else await load.stop().catch(() => {})
      await assertAllThere(current, headers, [load, newLoad], { memo: 'note' })
      // The history follows.
      const history = await fetch(`${current.address}/api/v1/models/note/${memo.json.data.id}/history`, { headers })
      assert.equal(((await history.json()) as { total: number }).total, 1)

      // A single process that is replaced renames, and changes types, by itself.
      await old.stop()
      const made = await ask(current, headers, 'POST', 'other', { mark: 'a', size: 'long', total: 7 })
      await current.stop()
      const renamed = await (await release(third)).serve()
      const { data } = (await ask(renamed, headers, 'GET', `other/${made.json.data.id}`)).json
      assert.deepEqual([data.length, data.total], ['long', '7'])
    })
  })

  const skip = BEFORE === undefined ? 'ADMIN_TEST_BEFORE names no other build' : false
  test('the program of another build starts on tables of the present one, which start on its', { skip }, async () => {
    const models: Models = { Optional: BASE }
    const more: Models = { Optional: [...BASE, 'name: subtitle, type: string, required: true, default: none'] }
    await withReleases(async ({ release, headers: login, schema }) => {
      const present = await release(models)
      const current = await present.serve()
      const headers = await login(present)
      const other = await (await release(models, BEFORE)).serve()
      const loads = [current, other].map((server, index) => new Load(server, headers, writersOf('optional'), `load${index}`))
      for (const load of loads) assertGoesOn(await load.round())
      const again = await (await release(more)).serve()
      for (const load of loads) assertGoesOn(await load.round())
      for (const load of loads) await load.stop()
      for (const server of [current, other, again]) assert.equal(await readiness(server), 200)
      await assertAllThere(again, headers, loads)
      const { rows } = await (await sharedDatabase()).query(sql`select count(*) from ${identifier(schema, '_admin_migrations')}`)
      assert.equal(Number(rows[0]?.[0]), STORE_MIGRATIONS.length)
    })
  })
})
