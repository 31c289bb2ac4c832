import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { FileStore } from '../../../src/store/embedded/file-store.ts'
import { compactFolder } from '../../../src/store/embedded/files/data-folder.ts'
import { encodeEntry } from '../../../src/store/embedded/files/journal-format.ts'
import { acquireLock } from '../../../src/store/embedded/files/lock.ts'
import { temporaryFolder } from '../../helpers/fixture.ts'
import { FaultyDisk } from '../../helpers/store/faulty-disk.ts'
import { libraryRegistry } from '../../helpers/store/library.ts'
import { genresOnDisk } from './folder.ts'

const genre = { table: 'genre', id: 1, before: undefined, after: { id: 1, name: 'a' } }

test('a journal whose compaction failed at start is compacted at close, although nothing was written', async () => {
  const { path, remove } = await temporaryFolder()
  writeFileSync(join(path, 'journal.1.log'), [...encodeEntry(1, [genre], new Map([['genre', 2]]))].join(''))
  const disk = new FaultyDisk()
  const warnings: string[] = []
  disk.fail('ENOSPC', 'create')
  const store = await FileStore.open(path, libraryRegistry(), 'write', { disk, warn: (message) => warnings.push(message) })
  assert.match(warnings.join('\n'), /^Compaction failed, so the journal is kept: ENOSPC/)
  disk.mend()
  await store.close()
  assert.deepEqual([warnings.length, readdirSync(path)], [1, ['db.json']])
  assert.deepEqual(await genresOnDisk(path), ['a'])
  await remove()
})

test('drafts of snapshots and locks of killed processes are removed by the next holder', async () => {
  const { path, remove } = await temporaryFolder()
  const { pid } = spawnSync(process.execPath, ['--eval', ''])
  const kept = [`lock.${process.pid}.89abcdef`, 'lock.md']
  const open = async () => (await FileStore.open(path, libraryRegistry(), 'write')).close()
  for (const work of [open, () => compactFolder(path, libraryRegistry())]) {
    writeFileSync(join(path, 'db.json.new'), '{\n"format": 1,')
    writeFileSync(join(path, `lock.${pid}.01234567`), `{"pid":${pid},"started":"1"}\n`)
    writeFileSync(join(path, `lock.${pid}.76543210`), '')
    for (const name of kept) writeFileSync(join(path, name), '')
    await work()
    assert.deepEqual(readdirSync(path).sort(), kept.toSorted())
  }
  await remove()
})

test('a zombie process holds no lock', { skip: process.platform !== 'linux' }, async () => {
  const { path, remove } = await temporaryFolder()
  // The shell execs a program that never waits for its child, so the child becomes a zombie.
  const parent = spawn('sh', ['-c', 'sleep 1 & echo $!; exec sleep 60'])
  try {
    const [text] = await once(parent.stdout, 'data')
    const pid = Number(String(text))
    const fields = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    while (fields()[0] !== 'Z') await delay(5)
    const lock = join(path, 'lock')
    writeFileSync(lock, JSON.stringify({ pid, started: fields()[19] }))
    await (await acquireLock(lock))()
    assert.deepEqual(readdirSync(path), [])
  } finally {
    parent.kill()
    await remove()
  }
})
