import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { whenChanged } from '../../src/cli/watch.ts'
import { temporaryFolder } from '../helpers/fixture.ts'

test('a change of a file is answered by work, one of the data folder is not', async () => {
  const folder = await temporaryFolder()
  for (const name of ['views', 'data']) mkdirSync(join(folder.path, name))
  let count = 0
  let done = () => {}
  const worked = new Promise<void>((resolve) => {
    done = resolve
  })
  const watcher = await whenChanged(folder.path, async () => {
    count++
    done()
  })
  try {
    writeFileSync(join(folder.path, 'data/db.json'), '{}')
    writeFileSync(join(folder.path, 'views/a.yaml'), 'a: 1')
    writeFileSync(join(folder.path, 'views/a.yaml'), 'a: 2')
    await worked
    assert.equal(count, 1)
  } finally {
    await watcher.close()
    await folder.remove()
  }
})
