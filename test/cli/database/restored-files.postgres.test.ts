import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { assertPhotosWhole, bytesIn, fillPhotos, PHOTO_BYTES, PHOTO_PROJECT } from '../../helpers/cli/photos.ts'
import { databaseProject, succeeded } from '../../helpers/postgres/cli-project.ts'
import { postgresFolder } from '../../helpers/postgres/cluster.ts'
import { NO_POSTGRES, serverAddress } from '../../helpers/postgres/server.ts'

const folder = postgresFolder()
/** The folder of the programs themselves: `pg_dump` is beside `postgres`. */
const programs = folder && dirname(realpathSync(join(folder, 'postgres')))
const skip = NO_POSTGRES ?? (programs === undefined ? 'pg_dump is not installed' : undefined)

test('a pg_dump is restored elsewhere: every file is equal', { skip }, async () => {
  await using source = await databaseProject(PHOTO_PROJECT)
  await using target = await databaseProject(PHOTO_PROJECT)
  await fillPhotos(source.folder.path, (...argv) => source.admin(argv))
  const records = succeeded(await source.admin(['export', 'photo', '--format', 'json']))
  const run = promisify(execFile)
  const url = await serverAddress()
  const { stdout: dump } = await run(join(programs ?? '', 'pg_dump'), [url, '--schema', source.schema], { maxBuffer: 2 ** 26 })
  const psql = run(join(programs ?? '', 'psql'), [url, '--quiet', '--output', '/dev/null', '--set', 'ON_ERROR_STOP=1'])
  psql.child.stdin?.end(dump.replaceAll(source.schema, target.schema))
  await psql
  assert.equal(succeeded(await target.admin(['export', 'photo', '--format', 'json'])), records)
  await assertPhotosWhole(target.admin(['files', 'check', '--json']))
  succeeded(await target.admin(['migrate', '--to', 'embedded']))
  assert.deepEqual(bytesIn(join(target.folder.path, 'data/files')), PHOTO_BYTES)
})
