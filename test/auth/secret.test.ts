import assert from 'node:assert/strict'
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'node:test'
import { loadOrCreateSecret } from '../../src/auth/secret.ts'
import { systemRandom } from '../../src/util/ids.ts'
import { type TemporaryFolder, temporaryFolder } from '../helpers/fixture.ts'
import { testsOf } from '../helpers/tests-of.ts'

const fixed = (bytes: number): Buffer => Buffer.alloc(bytes, 1)

async function inFolder(use: (path: string, folder: TemporaryFolder) => Promise<void>): Promise<void> {
  await using folder = await temporaryFolder()
  await use(join(folder.path, 'data'), folder)
}

const folderTest = testsOf(inFolder)

describe('the secret of a project without a configured one', () => {
  folderTest('is random and readable by its owner only', async (data) => {
    const secret = await loadOrCreateSecret(data, fixed)
    assert.equal(secret, Buffer.alloc(48, 1).toString('base64url'))
    assert.equal((await readFile(join(data, 'secret'), 'utf8')).trim(), secret)
    assert.equal((await stat(join(data, 'secret'))).mode & 0o777, 0o600)
    assert.equal((await stat(data)).mode & 0o777, 0o700)
  })

  folderTest('is the same at the next start', async (data) => {
    const secret = await loadOrCreateSecret(data, systemRandom)
    assert.equal(await loadOrCreateSecret(data, systemRandom), secret)
    assert.ok(Buffer.byteLength(secret) >= 32)
  })

  folderTest('differs from project to project', async (data) => {
    assert.notEqual(
      await loadOrCreateSecret(join(data, 'a'), systemRandom),
      await loadOrCreateSecret(join(data, 'b'), systemRandom),
    )
  })

  folderTest('gets its mode back if a copy was readable by others', async (data) => {
    const secret = await loadOrCreateSecret(data, systemRandom)
    await chmod(join(data, 'secret'), 0o644)
    assert.equal(await loadOrCreateSecret(data, systemRandom), secret)
    assert.equal((await stat(join(data, 'secret'))).mode & 0o777, 0o600)
  })

  folderTest('is created in an existing folder', async (data) => {
    await mkdir(data)
    assert.equal(await loadOrCreateSecret(data, fixed), await loadOrCreateSecret(data, systemRandom))
  })
})

describe('an existing secret', () => {
  const rows: readonly (readonly [string, boolean])[] = [
    ['x'.repeat(32), true],
    ['x'.repeat(31), false],
    ['é'.repeat(16), true],
    ['é'.repeat(15), false],
    [`  ${'x'.repeat(30)}  `, false],
    ['', false],
    ['\n', false],
  ]
  for (const [text, good] of rows) {
    folderTest(`${JSON.stringify(text)} is ${good ? 'used' : 'rejected'}`, async (data) => {
      await mkdir(data)
      await writeFile(join(data, 'secret'), `${text}\n`)
      if (good) {
        assert.equal(await loadOrCreateSecret(data, fixed), text)
        return
      }
      await assert.rejects(loadOrCreateSecret(data, fixed), {
        code: 'CONFIG_INVALID',
        exitCode: 2,
        message: `${join(data, 'secret')} holds fewer than 32 bytes; delete it, and a new secret is generated`,
      })
      assert.equal(await readFile(join(data, 'secret'), 'utf8'), `${text}\n`, 'it is left as it was')
    })
  }

  folderTest('an unreadable one is not replaced', async (data) => {
    await mkdir(join(data, 'secret'), { recursive: true })
    await assert.rejects(loadOrCreateSecret(data, fixed))
    assert.ok((await stat(join(data, 'secret'))).isDirectory())
  })
})
