import assert from 'node:assert/strict'
import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { nodeDisk } from '../../../../src/store/embedded/files/disk.ts'
import { temporaryFolder } from '../../../helpers/fixture.ts'
import { valuesOf } from '../../../helpers/values-of.ts'

const ROUNDS = 50
const MEBIBYTE = Buffer.alloc(1 << 20, 'a')

describe('a file open for appending', () => {
  test('is closed after pending operations, so that none of them reaches another file', async () => {
    const folder = await temporaryFolder()
    const [path, other] = [join(folder.path, 'file'), join(folder.path, 'other')]
    for (let round = 0; round < ROUNDS; round++) {
      const file = await nodeDisk.openNew(path)
      const work = [file.write(MEBIBYTE, 0), file.sync(), file.write(MEBIBYTE, MEBIBYTE.length), file.sync()]
      await file.close()
      const another = openSync(other, 'a')
      assert.deepEqual(valuesOf(await Promise.allSettled(work), 'status'), ['fulfilled', 'fulfilled', 'fulfilled', 'fulfilled'])
      closeSync(another)
    }
    assert.equal((await readFile(other)).length, 0)
    assert.equal((await readFile(path)).length, 2 * MEBIBYTE.length)
    await folder.remove()
  })

  test('returns how many bytes were written, and rejects writes once it is closed', async () => {
    const folder = await temporaryFolder()
    const file = await nodeDisk.openNew(join(folder.path, 'file'))
    assert.equal(await file.write(Buffer.from('abc'), 0), 3)
    await file.close()
    await assert.rejects(file.write(Buffer.from('abc'), 3))
    await assert.rejects(file.sync())
    await folder.remove()
  })
})
