import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmod, lstat, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { writeWholeFile } from '../../src/cli/output-file.ts'
import { type TemporaryFolder, temporaryFolder } from '../helpers/fixture.ts'

describe('writeWholeFile over an existing file', () => {
  let folder: TemporaryFolder

  before(async () => {
    folder = await temporaryFolder()
  })
  after(() => folder.remove())

  const at = (name: string) => join(folder.path, name)
  const write = (name: string) =>
    writeWholeFile(
      at(name),
      (async function* () {
        yield 'new'
      })(),
      { shown: name, force: true },
    )

  for (const mode of [0o600, 0o666]) {
    test(`keeps the permissions: ${mode.toString(8)}`, async () => {
      await writeFile(at('file'), 'old')
      await chmod(at('file'), mode)
      await write('file')
      assert.deepEqual([await readFile(at('file'), 'utf8'), (await stat(at('file'))).mode & 0o777], ['new', mode])
    })
  }

  test('replaces a symbolic link; its target stays unchanged', async () => {
    await writeFile(at('target'), 'old', { mode: 0o600 })
    await symlink('target', at('link'))
    await write('link')
    assert.equal(await readFile(at('target'), 'utf8'), 'old')
    const link = await lstat(at('link'))
    assert.deepEqual([link.isFile(), link.mode & 0o777], [true, 0o600])
  })

  for (const [what, make] of [
    ['a pipe', (path) => execFileSync('mkfifo', [path])],
    ['a folder', (path) => mkdir(path)],
    ['a link to a device', (path) => symlink('/dev/null', path)],
  ] as const satisfies readonly (readonly [string, (path: string) => unknown])[]) {
    test(`does not replace ${what}`, async () => {
      await make(at(what))
      const before = await lstat(at(what))
      const message = `${what} is not a regular file, so --force does not replace it; use another name`
      await assert.rejects(write(what), { code: 'TASK_FAILED', message })
      assert.equal((await lstat(at(what))).ino, before.ino)
    })
  }

  test('replaces a dangling symbolic link and does not create its target', async () => {
    await symlink('nowhere', at('a link to nothing'))
    await write('a link to nothing')
    assert.ok((await lstat(at('a link to nothing'))).isFile(), 'it is still a link')
    await assert.rejects(lstat(at('nowhere')), { code: 'ENOENT' })
  })

  test('names the file, not the draft, when its folder does not exist', async () => {
    const message = 'nowhere/file cannot be written: its folder does not exist; create it, or use another'
    await assert.rejects(write('nowhere/file'), { code: 'TASK_FAILED', message })
  })
})
