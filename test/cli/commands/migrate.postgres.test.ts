import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { identifier, sql } from '../../../src/store/postgres/sql.ts'
import { runCli } from '../../helpers/cli/cli.ts'
import { makeProject } from '../../helpers/fixture.ts'
import { newSchema } from '../../helpers/postgres/schemas.ts'
import { NO_POSTGRES, serverAddress, sharedDatabase } from '../../helpers/postgres/server.ts'

const NOTE = (field: string) => `name: Note\nfields:\n  - { name: title, type: string${field} }\n`
const SEED = '- { title: one }\n- { title: two }\n- { title: one }\n'

interface Place {
  readonly schema: string
  /** Runs `admin` with the store in PostgreSQL, or with the one in files. */
  readonly admin: (line: string, store?: 'embedded', stdin?: string) => ReturnType<typeof runCli>
  readonly write: (model: string) => void
  readonly path: string
  readonly url: string
}

/** Calls `use` with a project whose data is in files, and with the address of a database. */
async function inProject(use: (place: Place) => Promise<void>): Promise<void> {
  const { schema, drop } = newSchema(await sharedDatabase())
  const url = await serverAddress()
  const project = await makeProject({
    'admin.config.yaml': `store: { url: "${url}", schema: ${schema} }\nsecret_key: 0123456789abcdef0123456789abcdef0123\n`,
    'models/note.yaml': NOTE(''),
    'seed/note.yaml': SEED,
  })
  const admin: Place['admin'] = (line, store, stdin = '') =>
    runCli(line.split(' '), { cwd: project.path, env: store === undefined ? {} : { ADMIN_STORE: store }, stdin })
  try {
    const write = (model: string) => writeFileSync(join(project.path, 'models/note.yaml'), model)
    await use({ schema, admin, write, path: project.path, url })
  } finally {
    await drop()
    await project.remove()
  }
}

describe('admin migrate', { skip: NO_POSTGRES }, () => {
  test('refuses --data without a copy, which alone reads it', async () => {
    await inProject(async ({ admin }) => {
      const { code, stderr } = await admin('migrate --plan --data elsewhere')
      assert.deepEqual([code, stderr.trim()], [2, 'error --data needs --to'])
    })
  })

  test('--plan prints the steps, --apply applies them', async () => {
    await inProject(async ({ admin, write, schema }) => {
      const empty = await admin('migrate --plan')
      assert.equal(empty.code, 0)
      assert.match(empty.stdout, /^-- additive: The store needs tables of its own\ncreate schema /)
      assert.match(empty.stderr, /A start applies these steps by itself/)
      const applied = await admin('migrate --apply')
      assert.deepEqual([applied.code, /additive: The model 'note' is new/.test(applied.stdout)], [0, true], applied.stderr)
      const done = await admin('migrate')
      assert.deepEqual([done.code, done.stdout], [0, ''])
      assert.match(done.stderr, new RegExp(`schema ${schema} is up to date\\n$`))
      const database = await sharedDatabase()
      const note = identifier(schema, 'note')
      await database.query(sql`insert into ${note} ("title") values ('one'), ('two'), ('one')`)

      write(NOTE(', unique: true, max_length: 50'))
      const plan = await admin('migrate --plan --format json')
      assert.equal(plan.code, 1)
      const { steps } = JSON.parse(plan.stdout)
      assert.deepEqual(
        steps
          .filter((step: { rows?: object }) => step.rows)
          .map(({ class: kind, reason, rows }: Record<string, unknown>) => [kind, reason, rows]),
        [
          [
            'checked',
            "'title' of 'note' must be unique",
            {
              count: 2,
              examples: [
                { id: 1, value: 'one' },
                { id: 3, value: 'one' },
              ],
            },
          ],
          ['checked', "'title' of 'note' has limits", { count: 0, examples: [] }],
        ],
      )
      const refused = await admin('migrate --apply')
      assert.equal(refused.code, 1)
      assert.match(
        refused.stderr,
        /^error Rows are in the way of a step; correct them, and try again:\nerror -- checked: .*\nerror -- 2 rows are in the way\nerror -- {3}id 1: "one"\n/,
      )
      await database.query(sql`delete from ${note} where "id" = 3`)
      assert.equal((await admin('migrate --apply')).code, 0)

      write('name: Note\nfields: []\n')
      const destructive = await admin('migrate --plan')
      assert.match(
        destructive.stdout,
        /-- destructive: 'note' has no field for the column 'title'\n-- only with --allow-destructive\nalter table /,
      )
      assert.equal((await admin('migrate --apply')).code, 0)
      assert.match((await admin('migrate --plan')).stdout, /; it is kept, unused\n/)
      assert.equal((await admin('migrate --apply --allow-destructive')).code, 0)
      await assert.rejects(database.query(sql`select "title" from ${note}`), /title/)
    })
  })

  test('--to copies the data folder into a database, and back', async () => {
    await inProject(async ({ admin, path, url }) => {
      assert.match((await admin('migrate --to nowhere')).stderr, /^error --to must be a URL such as /)
      const none = await admin(`migrate --to ${url}`)
      assert.match(none.stderr, /^error There is no data in /)
      const added = await admin('users add ann --email a@example.com --password-stdin', 'embedded', 'long-enough-1\n')
      assert.equal(added.code, 0, added.stderr)
      const there = await admin(`migrate --to ${url} --format json`)
      assert.equal(there.code, 0, there.stderr)
      const report = JSON.parse(there.stdout)
      assert.deepEqual(
        report.models
          .filter(({ model }: { model: string }) => model === 'note')
          .map(({ records, nextId }: Record<string, number>) => [records, nextId]),
        [[3, 4]],
      )
      assert.match(there.stderr, /counts and checksums are equal/)
      assert.equal((await admin('migrate --plan')).code, 0)
      assert.match((await admin(`migrate --to ${url}`)).stderr, /^error The schema '.*' is not empty/)
      assert.match((await admin('migrate --to embedded')).stderr, /holds data already/)
      const back = await admin(`migrate --to embedded --format json --data ${join(path, 'back')}`)
      assert.equal(back.code, 0, back.stderr)
      const sorted = (models: { model: string }[]) => models.sort((a, b) => a.model.localeCompare(b.model))
      assert.deepEqual(sorted(JSON.parse(back.stdout).models), sorted(report.models))
      assert.ok(readFileSync(join(path, 'back/db.json'), 'utf8').includes('{"id":3,"title":"one"}'))
    })
  })

  test('--to calls no hooks, there and back', async () => {
    await inProject(async ({ admin, path, url }) => {
      const told: string[] = []
      Object.assign(globalThis, { told })
      mkdirSync(join(path, 'hooks'))
      writeFileSync(
        join(path, 'hooks/note.js'),
        `import { defineHooks } from 'admin-folder'
export default defineHooks('note', {
  beforeCreate: () => { globalThis.told.push('before') },
  afterCommit: () => { globalThis.told.push('after') },
})
`,
      )
      const imported = await admin('import note - --format csv', 'embedded', 'title\nthree\n')
      assert.equal(imported.code, 0, imported.stderr)
      assert.ok(told.includes('before'), 'the seeds call them')
      told.length = 0
      for (const line of [`migrate --to ${url}`, `migrate --to embedded --data ${join(path, 'back')}`]) {
        const { code, stderr } = await admin(line)
        assert.equal(code, 0, stderr)
      }
      assert.deepEqual(told, [])
    })
  })

  test('wrong usage exits 2', async () => {
    await inProject(async ({ admin }) => {
      assert.equal((await admin('migrate --plan --apply')).code, 2)
      assert.equal((await admin('migrate --allow-destructive')).code, 2)
      const files = await admin('migrate --plan', 'embedded')
      assert.deepEqual([files.code, /keeps its records in files/.test(files.stderr)], [2, true])
    })
  })
})
