import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { watchFolder } from '../../src/cli/watch.ts'
import { temporaryFolder } from '../helpers/fixture.ts'

test('watchFolder calls back for a changed file, but not for the data folder', async () => {
  const folder = await temporaryFolder()
  for (const name of ['views', 'data']) mkdirSync(join(folder.path, name))
  let count = 0
  let done = () => {}
  const worked = new Promise<void>((resolve) => {
    done = resolve
  })
  const watcher = await watchFolder(folder.path, async () => {
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

test('watchFolder reports changes before the first call, except in an excluded folder', async () => {
  const folder = await temporaryFolder()
  for (const name of ['views', 'store']) mkdirSync(join(folder.path, name))
  let begin = () => {}
  const after = new Promise<void>((resolve) => {
    begin = resolve
  })
  const seen: string[] = []
  let done = () => {}
  const worked = new Promise<void>((resolve) => {
    done = resolve
  })
  const work = async (changed: readonly string[]) => {
    seen.push(...changed)
    if (changed.includes('views/last.yaml')) done()
  }
  const noticed = new Set<string>()
  const includes = (name: string) => noticed.add(name) !== undefined
  const watcher = await watchFolder(folder.path, work, { after, includes })
  try {
    writeFileSync(join(folder.path, 'store/db.json'), '{}')
    writeFileSync(join(folder.path, 'views/a.yaml'), 'a: 1')
    while (noticed.size < 2) await setImmediate()
    watcher.exclude(join(folder.path, 'store'))
    begin()
    writeFileSync(join(folder.path, 'store/db.json'), '{ }')
    writeFileSync(join(folder.path, 'views/last.yaml'), 'a: 1')
    await worked
    assert.deepEqual(seen.sort(), ['views/a.yaml', 'views/last.yaml'])
  } finally {
    await watcher.close()
    await folder.remove()
  }
})
