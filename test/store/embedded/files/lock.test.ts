import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { AppError } from '../../../../src/errors.ts'
import { acquireLock, apiOf, publishApi } from '../../../../src/store/embedded/files/lock.ts'
import { temporaryFolder } from '../../../helpers/fixture.ts'
import { testsOf } from '../../../helpers/tests-of.ts'
import { Child } from '../child.ts'

const CHILDREN = 6
const ROUNDS = 25

/** The id of a process that has ended. */
const deadPid = () => spawnSync(process.execPath, ['--eval', '']).pid

async function withFolder(body: (folder: string, lock: string) => Promise<void>): Promise<void> {
  const { path, remove } = await temporaryFolder()
  try {
    await body(path, join(path, 'lock'))
  } finally {
    await remove()
  }
}

const lockTest = testsOf(withFolder)

/** Asserts that the lock is held by this process id, and that the message names it with a remedy. */
async function assertInUse(lock: string, pid: number): Promise<void> {
  const before = await readFile(lock, 'utf8')
  await assert.rejects(acquireLock(lock), (error: unknown) => {
    assert.ok(error instanceof AppError, String(error))
    assert.equal(error.code, 'DATA_IN_USE')
    assert.match(error.message, new RegExp(`\\b${pid}\\b`))
    assert.ok(error.message.includes(lock), error.message)
    return true
  })
  assert.equal(await readFile(lock, 'utf8'), before)
}

/** Asserts that a lock file with this content is taken over. */
async function assertTakenOver(content: string): Promise<void> {
  await withFolder(async (folder, lock) => {
    await writeFile(lock, content)
    const release = await acquireLock(lock)
    await assertInUse(lock, process.pid)
    assert.deepEqual(await readdir(folder), ['lock'])
    await release()
    assert.deepEqual(await readdir(folder), [])
  })
}

describe('the lock', () => {
  lockTest('excludes a second holder until it is released', async (folder, lock) => {
    const release = await acquireLock(lock)
    await assertInUse(lock, process.pid)
    assert.deepEqual(await readdir(folder), ['lock'])
    await release()
    assert.deepEqual(await readdir(folder), [])
    const again = await acquireLock(lock)
    await assertInUse(lock, process.pid)
    await again()
  })

  lockTest('released twice, is not taken from the next holder', async (_, lock) => {
    const release = await acquireLock(lock)
    await release()
    const next = await acquireLock(lock)
    await release()
    await assertInUse(lock, process.pid)
    await next()
  })

  lockTest('is acquired by exactly one of many attempts in one process', async (folder, lock) => {
    const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => acquireLock(lock)))
    const won = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []))
    assert.equal(won.length, 1)
    assert.deepEqual(await readdir(folder), ['lock'])
    for (const release of won) await release()
  })

  lockTest('cannot be acquired without a folder', async (folder) => {
    await assert.rejects(acquireLock(join(folder, 'nowhere', 'lock')))
  })
})

describe('a stale lock', () => {
  test('of a process that no longer runs is taken over', async () => {
    await assertTakenOver(`{"pid":${deadPid()},"started":"1"}\n`)
    await assertTakenOver(`{"pid":${deadPid()},"started":null}\n`)
  })

  test('of a process whose id was reused is taken over', () => assertTakenOver(`{"pid":${process.pid},"started":"1"}\n`))

  lockTest('without a start time is valid while its process id is in use', async (_, lock) => {
    await writeFile(lock, `{"pid":${process.pid}}`)
    await assertInUse(lock, process.pid)
  })

  for (const garbage of [
    '',
    ' \n',
    'garbage',
    '{',
    '[]',
    'null',
    '7',
    '{"pid":"1"}',
    '{"started":"1"}',
    '{"pid":1.5}',
    '{"pid":4194305}',
  ]) {
    test(`with the content ${JSON.stringify(garbage)} is taken over`, () => assertTakenOver(garbage))
  }

  for (const garbage of ['{"pid":0}', '{"pid":-1}']) {
    test(`of ${garbage}, which is not a process, is taken over`, () => assertTakenOver(garbage))
  }
})

describe('the lock between processes', { timeout: 180_000 }, () => {
  lockTest('names its holder, and is taken over when the holder is killed', async (folder, lock) => {
    const child = new Child('files/lock-child.ts', lock)
    try {
      assert.equal(await child.line(), 'ready')
      assert.equal(await child.ask('take'), 'won')
      await assertInUse(lock, child.pid)
    } finally {
      await child.kill()
    }
    assert.deepEqual(await readdir(folder), ['lock'])
    const release = await acquireLock(lock)
    await assertInUse(lock, process.pid)
    await release()
    assert.deepEqual(await readdir(folder), [])
  })

  lockTest('is acquired by exactly one of several processes that find it stale', async (folder, lock) => {
    const stale = `{"pid":${deadPid()},"started":"1"}\n`
    const children = Array.from({ length: CHILDREN }, () => new Child('files/lock-child.ts', lock))
    try {
      await Promise.all(children.map((child) => child.line()))
      for (let round = 0; round < ROUNDS; round++) {
        await writeFile(lock, stale)
        const answers = await Promise.all(children.map((child) => child.ask('take')))
        const expected = ['won', ...Array.from({ length: CHILDREN - 1 }, () => 'DATA_IN_USE')].sort()
        assert.deepEqual([...answers].sort(), expected, `round ${round}`)
        assert.deepEqual(await readdir(folder), ['lock'])
        const winner = children[answers.indexOf('won')]
        assert.ok(winner !== undefined, 'no process acquired the lock')
        await assertInUse(lock, winner.pid)
        assert.equal(await winner.ask('give'), 'given')
        assert.deepEqual(await readdir(folder), [])
      }
    } finally {
      await Promise.all(children.map((child) => child.kill()))
    }
  })
})

describe('the URL of the API', () => {
  lockTest('is returned once the holder publishes it, and while it holds the lock', async (folder, lock) => {
    assert.equal(await apiOf(lock), undefined)
    const release = await acquireLock(lock)
    assert.equal(await apiOf(lock), undefined)
    await publishApi(lock, 'http://127.0.0.1:8000/api/v1')
    assert.equal(await apiOf(lock), 'http://127.0.0.1:8000/api/v1')
    await assertInUse(lock, process.pid)
    assert.deepEqual(await readdir(folder), ['lock'])
    await publishApi(lock, undefined)
    assert.equal(await apiOf(lock), undefined)
    await assertInUse(lock, process.pid)
    await publishApi(lock, 'http://127.0.0.1:8000/api/v1')
    await release()
    assert.equal(await apiOf(lock), undefined)
  })

  lockTest('is not returned for a process that no longer runs', async (_, lock) => {
    const api = 'http://127.0.0.1:1/api/v1'
    await writeFile(lock, JSON.stringify({ pid: deadPid(), started: null, api }))
    assert.equal(await apiOf(lock), undefined)
    // The id belongs to another process.
    await writeFile(lock, JSON.stringify({ pid: process.pid, started: '1', api }))
    assert.equal(await apiOf(lock), undefined)
  })
})
