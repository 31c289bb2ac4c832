import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import type { PgDatabase } from '../../../src/store/postgres/connection/pg-database.ts'
import { identifier, type Sql, sql } from '../../../src/store/postgres/sql.ts'
import { type CliResult, runCli } from '../../helpers/cli/cli.ts'
import {
  assertPhotosWhole,
  bytesIn,
  fillPhotos,
  LARGE_PHOTO,
  PHOTO_BYTES,
  PHOTO_CONTENTS,
  PHOTO_PROJECT,
} from '../../helpers/cli/photos.ts'
import { makeProject, type TemporaryFolder } from '../../helpers/fixture.ts'
import { newSchema } from '../../helpers/postgres/schemas.ts'
import { NO_POSTGRES, serverAddress, sharedDatabase } from '../../helpers/postgres/server.ts'
import { sha256Of } from '../../helpers/store/blob-contract.ts'

/** A project with records that have files, a released file, and an upload. */
async function filledFolder(): Promise<TemporaryFolder> {
  const project = await makeProject(PHOTO_PROJECT)
  await fillPhotos(project.path, (...argv) => runCli(argv, { cwd: project.path }))
  return project
}

/** Made by the first test, since each test needs the same data. */
let filled: Promise<TemporaryFolder> | undefined
after(async () => (await filled)?.remove())

interface Place {
  readonly path: string
  readonly url: string
  readonly database: PgDatabase
  /** The table of chunks. */
  readonly chunks: Sql
  /** Runs a command on the data folder. */
  readonly onFolder: (...argv: readonly string[]) => Promise<CliResult>
  /** Runs a command with the store in PostgreSQL. */
  readonly onDatabase: (...argv: readonly string[]) => Promise<CliResult>
  /** True if the schema exists. */
  readonly hasSchema: () => Promise<boolean>
}

/**
 * Calls `use` with a project that has a copy of the filled data folder.
 *
 * @param shared the setting `files.store`
 */
async function inProject(use: (place: Place) => Promise<void>, shared?: string): Promise<void> {
  const database = await sharedDatabase()
  const { schema, drop } = newSchema(database)
  const url = await serverAddress()
  const config = `store: { url: "${url}", schema: ${schema} }\nsecret_key: 0123456789abcdef0123456789abcdef0123\n`
  await using project = await makeProject({ 'admin.config.yaml': config, ...PHOTO_PROJECT })
  filled ??= filledFolder()
  cpSync(join((await filled).path, 'data'), join(project.path, 'data'), { recursive: true })
  const run = (argv: readonly string[], env: Record<string, string>) => runCli(argv, { cwd: project.path, env })
  const onFolder: Place['onFolder'] = (...argv) => run(argv, { ADMIN_STORE: 'embedded' })
  const onDatabase: Place['onDatabase'] = (...argv) => run(argv, shared === undefined ? {} : { ADMIN_FILES__STORE: shared })
  const hasSchema = async () => (await database.query(sql`select from pg_namespace where "nspname" = ${schema}`)).rows.length > 0
  try {
    const chunks = identifier(schema, '_admin_file_chunks')
    await use({ path: project.path, url, database, chunks, onFolder, onDatabase, hasSchema })
  } finally {
    await drop()
  }
}

const pathOf = (folder: string, bytes: Buffer): string => join(folder, sha256Of(bytes).slice(0, 2), sha256Of(bytes))

const SUMMARY = /, with 7 files, 5 contents of 2\.5 MiB; counts and checksums are equal\. /

function assertCopied({ code, stderr }: CliResult): void {
  assert.equal(code, 0, stderr)
  assert.match(stderr, SUMMARY)
}

describe('admin migrate --to copies the bytes of files', { skip: NO_POSTGRES }, () => {
  test('into the table of chunks and back', () =>
    inProject(async ({ path, url, database, chunks, onFolder, onDatabase }) => {
      assert.deepEqual(bytesIn(join(path, 'data/files')), PHOTO_BYTES)
      const there = await onDatabase('migrate', '--to', url, '--format', 'json')
      assertCopied(there)
      assert.deepEqual(JSON.parse(there.stdout).files, { files: 7, contents: 5, bytes: Buffer.concat(PHOTO_CONTENTS).length })
      const { rows } = await database.query(sql`select count(*), count(distinct "sha256") from ${chunks}`)
      assert.deepEqual(rows, [['7', '5']])
      await assertPhotosWhole(onDatabase('files', 'check', '--json'))
      // The bytes are read from the database.
      renameSync(join(path, 'data'), join(path, 'former'))
      assertCopied(await onDatabase('migrate', '--to', 'embedded'))
      assert.deepEqual(bytesIn(join(path, 'data/files')), PHOTO_BYTES)
      assert.deepEqual(readdirSync(join(path, 'data/files/incoming')), [])
      await assertPhotosWhole(onFolder('files', 'check', '--json'))
    }))

  test('into the folder files.store and back; damaged bytes that are there are replaced', () =>
    inProject(async ({ path, database, chunks, url, onFolder, onDatabase }) => {
      const shared = join(path, 'shared')
      const damaged = pathOf(shared, LARGE_PHOTO)
      mkdirSync(join(damaged, '..'), { recursive: true })
      writeFileSync(damaged, Buffer.alloc(LARGE_PHOTO.length))
      assertCopied(await onDatabase('migrate', '--to', url))
      assert.deepEqual(bytesIn(shared), PHOTO_BYTES)
      assert.deepEqual((await database.query(sql`select from ${chunks}`)).rows, [])
      await assertPhotosWhole(onDatabase('files', 'check', '--json'))
      renameSync(join(path, 'data'), join(path, 'former'))
      assertCopied(await onDatabase('migrate', '--to', 'embedded'))
      assert.deepEqual(bytesIn(join(path, 'data/files')), PHOTO_BYTES)
      await assertPhotosWhole(onFolder('files', 'check', '--json'))
    }, 'shared'))

  test('not if files.store is the folder that has them', () =>
    inProject(async ({ path, url, onDatabase }) => {
      const files = join(path, 'data/files')
      const inodes = () => PHOTO_CONTENTS.map((bytes) => statSync(pathOf(files, bytes)).ino)
      const before = inodes()
      assertCopied(await onDatabase('migrate', '--to', url))
      assert.deepEqual(inodes(), before)
      await assertPhotosWhole(onDatabase('files', 'check', '--json'))
    }, 'data/files'))

  test('and copies nothing from a data folder without the bytes of a file', () =>
    inProject(async ({ path, url, onDatabase, hasSchema }) => {
      const place = pathOf(join(path, 'data/files'), PHOTO_CONTENTS[1] ?? LARGE_PHOTO)
      const remedy = '`admin files check` on the source names all such files; restore their bytes from a backup, and copy again'
      writeFileSync(place, 'onx\n')
      const damaged = await onDatabase('migrate', '--to', url)
      const what = "error The bytes of 'one.txt' (photo 1, papers)"
      assert.deepEqual(
        [damaged.code, damaged.stdout, damaged.stderr],
        [1, '', `${what} are damaged; no records were copied. ${remedy}\n`],
      )
      rmSync(place)
      const missing = await onDatabase('migrate', '--to', url)
      assert.deepEqual([missing.code, missing.stderr], [1, `${what} are missing; no records were copied. ${remedy}\n`])
      mkdirSync(place)
      const unreadable = await onDatabase('migrate', '--to', url)
      assert.match(unreadable.stderr, /papers\) cannot be read \(EISDIR: .*\); no records were copied\. /)
      assert.equal(await hasSchema(), false)
      assert.deepEqual(readdirSync(join(path, 'data/files/incoming')), [])
    }))

  test('and copies no records from a database without the bytes of a file', () =>
    inProject(async ({ path, url, database, chunks, onDatabase }) => {
      assertCopied(await onDatabase('migrate', '--to', url))
      renameSync(join(path, 'data'), join(path, 'former'))
      const hash = sha256Of(LARGE_PHOTO)
      await database.query(sql`update ${chunks} set "n" = 9 where "sha256" = ${hash} and "n" = 1`)
      const damaged = await onDatabase('migrate', '--to', 'embedded')
      assert.equal(damaged.code, 1)
      assert.match(
        damaged.stderr,
        /^error The bytes of 'large\.bin' \(photo 1, papers\) cannot be read \(.*\); no records were copied\. /,
      )
      await database.query(sql`delete from ${chunks} where "sha256" = ${hash} and "n" = 0`)
      const missing = await onDatabase('migrate', '--to', 'embedded')
      assert.match(missing.stderr, /^error The bytes of 'large\.bin' \(photo 1, papers\) are missing; no records were copied\. /)
      assert.ok(!existsSync(join(path, 'data/db.json')))
      await database.query(sql`delete from ${chunks} where "sha256" = ${hash}`)
      await database.query(sql`insert into ${chunks} ("sha256", "n", "bytes")
        select ${hash}, "n", substring(decode(${LARGE_PHOTO.toString('base64')}, 'base64') from "n" * 1048576 + 1 for 1048576) from generate_series(0, 2) "n"`)
      // The bytes of the first attempt are in the target.
      assertCopied(await onDatabase('migrate', '--to', 'embedded'))
      assert.deepEqual(bytesIn(join(path, 'data/files')), PHOTO_BYTES)
    }))
})
