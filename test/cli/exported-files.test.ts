import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { ExportedFiles } from '../../src/cli/exported-files.ts'
import { temporaryFolder } from '../helpers/fixture.ts'
import { sha256Of } from '../helpers/store/blob-contract.ts'

const FILE = {
  ...{ id: 'x-1', name: 'a.txt', type: 'text/plain', size: 3, sha256: sha256Of(Buffer.from('new')) },
  ...{ width: null, height: null, alt: null, uploaded_at: '2026-01-15T12:00:00.000Z' },
}

const begun = (folder: string, force = false): Promise<ExportedFiles> =>
  ExportedFiles.begin({
    ...{ folder, model: 'note', force, signal: new AbortController().signal },
    open: async () =>
      (async function* () {
        yield Buffer.from('new')
      })(),
  })

const written = (folder: string): Promise<string[]> => readdir(join(folder, 'files'), { recursive: true }).catch(() => [])

for (const isFinished of [false, true]) {
  test(`an export that fails ${isFinished ? 'after' : 'before'} its files have their names leaves none, or those of before`, async () => {
    await using folder = await temporaryFolder()
    const fails = async (force: boolean) => {
      const files = await begun(folder.path, force)
      await files.write({ index: 0, id: 1, field: 'paper', value: FILE })
      if (isFinished) await files.finish()
      await files.close({ failed: true })
    }
    await fails(false)
    assert.deepEqual(await written(folder.path), [])
    await mkdir(join(folder.path, 'files/note'), { recursive: true })
    await writeFile(join(folder.path, 'files/note/old.txt'), 'old')
    await fails(true)
    assert.deepEqual(await written(folder.path), ['note', 'note/old.txt'])
    assert.equal(await readFile(join(folder.path, 'files/note/old.txt'), 'utf8'), 'old')
  })
}
