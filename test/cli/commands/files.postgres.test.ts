import assert from 'node:assert/strict'
import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { identifier, sql } from '../../../src/store/postgres/sql.ts'
import { type CliResult, runCli } from '../../helpers/cli/cli.ts'
import { makeProject } from '../../helpers/fixture.ts'
import { newSchema } from '../../helpers/postgres/schemas.ts'
import { NO_POSTGRES, serverAddress, sharedDatabase } from '../../helpers/postgres/server.ts'

/** SHA-256 of `nothing has these`. */
const UNREFERENCED = '61f51767c45a79a9e21e15eb52e66715fe5763d589f2cf3e7e097cd85fa0a309'

interface Bytes {
  readonly replace: (sha256: string, text: string) => Promise<void>
  readonly remove: (sha256: string) => Promise<void>
  /** Keeps bytes that nothing has, and that are older than a day. */
  readonly leave: (sha256: string, text: string) => Promise<void>
  readonly has: (sha256: string) => Promise<boolean>
}

/** Bytes in the folder `files.store`. */
function inFolder(folder: string): Bytes {
  const pathOf = (sha256: string) => join(folder, sha256.slice(0, 2), sha256)
  const replace: Bytes['replace'] = async (sha256, text) => writeFileSync(pathOf(sha256), text)
  return {
    replace,
    remove: async (sha256) => rmSync(pathOf(sha256)),
    async leave(sha256, text) {
      mkdirSync(join(pathOf(sha256), '..'), { recursive: true })
      await replace(sha256, text)
      const at = new Date(Date.now() - 25 * 3_600_000)
      utimesSync(pathOf(sha256), at, at)
    },
    has: async (sha256) => existsSync(pathOf(sha256)),
  }
}

/** Bytes in the table of chunks. */
async function inTable(schema: string): Promise<Bytes> {
  const database = await sharedDatabase()
  const chunks = identifier(schema, '_admin_file_chunks')
  return {
    async replace(sha256, text) {
      await database.query(sql`update ${chunks} set "bytes" = convert_to(${text}, 'UTF8') where "sha256" = ${sha256}`)
    },
    async remove(sha256) {
      await database.query(sql`delete from ${chunks} where "sha256" = ${sha256}`)
    },
    async leave(sha256, text) {
      await database.query(sql`insert into ${chunks} ("sha256", "n", "bytes", "kept_at")
        values (${sha256}, 0, convert_to(${text}, 'UTF8'), now() - interval '25 hours')`)
    },
    has: async (sha256) => (await database.query(sql`select from ${chunks} where "sha256" = ${sha256}`)).rows.length > 0,
  }
}

/** Runs commands beside a server whose database has a record with two files, and an upload. */
async function besideServer(
  place: 'table' | 'folder',
  work: (run: (...argv: readonly string[]) => Promise<CliResult>, bytes: Bytes) => Promise<void>,
): Promise<void> {
  const { schema, drop } = newSchema(await sharedDatabase())
  const store = `store: { url: "${await serverAddress()}", schema: ${schema} }\nsecret_key: 0123456789abcdef0123456789abcdef0123\n`
  await using project = await makeProject({
    'admin.config.yaml': place === 'table' ? store : `${store}files: { store: shared }\n`,
    'models/photo.yaml': 'name: Photo\nfields:\n  - { name: papers, type: file, multiple: true }\n',
    'models/other.yaml': 'name: Other\nfields:\n  - { name: paper, type: file }\n',
    'seed/user.yaml': '- { username: admin, email: a@example.com, password: long-enough, is_superuser: true }\n',
    'one.txt': 'one\n',
    'two.txt': 'two, longer\n',
    'photos.ndjson': '{"papers":["one.txt","two.txt"]}\n',
  })
  const run = (...argv: readonly string[]) => runCli(argv, { cwd: project.path })
  try {
    const whileRunning = async () => {
      for (const argv of [
        ['import', 'photo', 'photos.ndjson'],
        ['upload', 'other', 'paper', 'one.txt'],
      ]) {
        const { code, stderr } = await run(...argv)
        assert.equal(code, 0, stderr)
      }
      await work(run, place === 'table' ? await inTable(schema) : inFolder(join(project.path, 'shared')))
    }
    const served = await runCli(['serve', '--port', '0'], { cwd: project.path, whileRunning })
    assert.equal(served.code, 0, served.stderr)
  } finally {
    await drop()
  }
}

describe('admin files and admin doctor on PostgreSQL, beside a server', { skip: NO_POSTGRES }, () => {
  for (const [place, name] of [
    ['table', 'with the bytes in a table'],
    ['folder', 'with the bytes in files.store'],
  ] as const) {
    test(`list, check and gc ${name}`, () =>
      besideServer(place, async (run, bytes) => {
        const listed = JSON.parse((await run('files', 'list', '--json')).stdout) as Record<string, unknown>[]
        assert.deepEqual(
          listed.map(({ model, record, state, name, size }) => [model, record, state, name, size]),
          [
            ['photo', 1, 'attached', 'one.txt', 4],
            ['photo', 1, 'attached', 'two.txt', 12],
            ['other', null, 'pending', 'one.txt', 4],
          ],
        )
        const [one, two] = listed.map(({ sha256 }) => String(sha256)) as [string, string]

        const whole = await run('files', 'check')
        assert.deepEqual([whole.code, whole.stderr], [0, ''])
        assert.match(whole.stdout, /^3 files, 2 contents of 16 bytes, .* free\n$/)
        const healthy = await run('doctor')
        assert.equal(healthy.code, 0, healthy.stdout)
        assert.match(healthy.stdout, /^ok {4}files +3 files, 16 bytes, .* free$/m)

        await bytes.leave(UNREFERENCED, 'nothing has these')
        const check = await run('files', 'check')
        assert.deepEqual([check.code, check.stdout.split('\n')[0]], [0, `unreferenced ${UNREFERENCED}`])
        assert.match((await run('doctor')).stdout, /^warn {2}files .*; 1 content that no record has: /m)
        const removed = '1 content of 17 bytes, 0 expired uploads, 0 released files\n'
        const dry = await run('files', 'gc', '--dry-run')
        assert.deepEqual([dry.code, dry.stdout, await bytes.has(UNREFERENCED)], [0, `Would remove ${removed}`, true], dry.stderr)
        const gc = await run('files', 'gc')
        assert.deepEqual([gc.code, gc.stdout, await bytes.has(UNREFERENCED)], [0, `Removed ${removed}`, false], gc.stderr)

        await bytes.replace(two, 'two, longex\n')
        await bytes.remove(one)
        const faulty = await run('files', 'check')
        assert.equal(faulty.code, 1)
        assert.deepEqual(faulty.stdout.split('\n').slice(0, 3), [
          `missing 'one.txt' (photo 1, papers) ${one}`,
          `missing 'one.txt' (upload for other, paper) ${one}`,
          `damaged 'two.txt' (photo 1, papers) ${two}: the bytes have another hash`,
        ])
        const doctor = await run('doctor')
        assert.equal(doctor.code, 1)
        assert.match(doctor.stdout, /^fail {2}files .*; 2 missing, 1 damaged: admin files check names them$/m)
      }))
  }
})
