import assert from 'node:assert/strict'
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCli } from '../../helpers/cli/cli.ts'
import { assertPhotosWhole, bytesIn, fillPhotos, PHOTO_BYTES, PHOTO_PROJECT } from '../../helpers/cli/photos.ts'
import { makeProject } from '../../helpers/fixture.ts'

test('a snapshot and the folder of bytes are restored elsewhere: every file is equal', async () => {
  await using source = await makeProject(PHOTO_PROJECT)
  await using target = await makeProject(PHOTO_PROJECT)
  const run =
    ({ path }: { readonly path: string }) =>
    (...argv: readonly string[]) =>
      runCli(argv, { cwd: path })
  await fillPhotos(source.path, run(source))
  assert.equal((await run(source)('snapshot', 'save', 'nightly')).code, 0)
  const records = await run(source)('export', 'photo', '--format', 'json')
  mkdirSync(join(target.path, 'data'))
  for (const name of ['snapshots', 'files'])
    cpSync(join(source.path, 'data', name), join(target.path, 'data', name), { recursive: true })
  const { code, stderr } = await run(target)('snapshot', 'load', 'nightly', '--yes')
  assert.equal(code, 0, stderr)
  assert.deepEqual(await run(target)('export', 'photo', '--format', 'json'), records)
  await assertPhotosWhole(run(target)('files', 'check', '--json'))
  assert.deepEqual(bytesIn(join(target.path, 'data/files')), PHOTO_BYTES)
})
