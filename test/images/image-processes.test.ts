import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import type { ImageJob } from '../../src/images/image-jobs.ts'
import { IMAGE_LIMITS, ImageProcesses } from '../../src/images/image-processes.ts'
import { fakeTime } from '../helpers/time.ts'
import { fileRules, PREVIEW_RECIPE } from './pictures.ts'

type Task = 'work' | 'hang' | 'crash' | 'large'

const inspection = (path: Task): ImageJob => ({ kind: 'inspect', path, rules: fileRules(), stripped: '', preview: undefined })

const thumbnail = (path: Task): ImageJob => ({ kind: 'thumbnail', path, target: '', recipe: PREVIEW_RECIPE, maxPixels: 1 })

/** Processes that do what the path of a job says, with time that stands still. */
function scripted(limits: Partial<typeof IMAGE_LIMITS> = {}) {
  const time = fakeTime(0)
  const children: ChildProcess[] = []
  const processes = new ImageProcesses({
    timer: time.timer,
    fork: () => {
      const child = fork(join(import.meta.dirname, 'scripted-worker.mjs'), [], {
        execArgv: [],
        env: {},
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      })
      children.push(child)
      return child
    },
    limits: { ...IMAGE_LIMITS, ...limits },
  })
  /** Does work. @returns the process, and the number of jobs it has done */
  const work = async (task: Task = 'work') => {
    const outcome = await processes.run(inspection(task))
    assert.ok(outcome.kind === 'done')
    const [pid, jobs] = outcome.result.type?.split(' ') ?? []
    return { pid, jobs: Number(jobs) }
  }
  return { time, children, processes, work, [Symbol.dispose]: () => processes.close() }
}

const exited = async (child: ChildProcess | undefined): Promise<void> => {
  assert.ok(child !== undefined)
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

test('the limits are those of the contract', () =>
  assert.deepEqual(IMAGE_LIMITS, {
    processes: 2,
    waiting: 100,
    jobMs: 20_000,
    idleMs: 60_000,
    jobs: 200,
    memory: 512 * 1024 * 1024,
  }))

test('no process runs before the first job, and one does a job after the other', async () => {
  using it = scripted()
  assert.equal(it.children.length, 0)
  const first = await it.work()
  assert.deepEqual(await it.work(), { pid: first.pid, jobs: 2 })
  assert.deepEqual(it.processes.figures(), { waiting: 0, running: 0, processes: 1, jobs: 2, forks: 1, kills: 0 })
})

test('two processes do the jobs that arrive at once', async () => {
  using it = scripted()
  const done = await Promise.all(Array.from({ length: 10 }, () => it.work()))
  assert.equal(new Set(done.map(({ pid }) => pid)).size, 2)
  assert.equal(it.children.length, 2)
})

test('a process ends after 60 seconds without work, not before', async () => {
  using it = scripted()
  await it.work()
  it.time.advance(59_999)
  await it.work()
  it.time.advance(59_999)
  assert.equal(it.processes.figures().processes, 1)
  it.time.advance(1)
  assert.equal(it.processes.figures().processes, 0)
  await exited(it.children[0])
  assert.equal((await it.work()).jobs, 1)
  assert.deepEqual(it.processes.figures(), { waiting: 0, running: 0, processes: 1, jobs: 3, forks: 2, kills: 0 })
})

test('the second process ends although the first one has work', async () => {
  using it = scripted()
  await Promise.all([it.work(), it.work()])
  for (let seconds = 0; seconds < 60; seconds += 20) {
    it.time.advance(20_000)
    await it.work()
  }
  assert.equal(it.processes.figures().processes, 1)
})

test('a process is replaced after its number of jobs', async () => {
  using it = scripted({ jobs: 3 })
  const done = [await it.work(), await it.work(), await it.work(), await it.work()]
  assert.deepEqual(
    done.map(({ jobs }) => jobs),
    [1, 2, 3, 1],
  )
  await exited(it.children[0])
  assert.equal(it.processes.figures().kills, 0)
})

test('a process with too much memory is replaced after its job', async () => {
  using it = scripted()
  await it.work('large')
  assert.equal((await it.work()).jobs, 1)
  await exited(it.children[0])
})

test('a job over 20 seconds ends its process and fails alone', async () => {
  using it = scripted()
  const hanging = it.work('hang')
  const failed = assert.rejects(hanging, { name: 'ImageProcessEnded', message: 'it took more than 20 seconds' })
  const other = await it.work()
  it.time.advance(20_000)
  await failed
  assert.deepEqual(await it.work(), { pid: other.pid, jobs: 2 })
  await exited(it.children[0])
  assert.equal(it.children[0]?.signalCode, 'SIGKILL')
  assert.deepEqual(it.processes.figures(), { waiting: 0, running: 0, processes: 1, jobs: 3, forks: 2, kills: 1 })
})

test('jobs that wait behind hanging ones are done once these have failed', async () => {
  using it = scripted()
  const hanging = Promise.allSettled([it.work('hang'), it.work('hang')])
  const waiting = Promise.all([it.work(), it.work(), it.work()])
  assert.equal(it.processes.figures().waiting, 3)
  it.time.advance(20_000)
  await hanging
  assert.equal((await waiting).length, 3)
})

test('a crash fails its job, and the next job gets another process', async () => {
  using it = scripted()
  await assert.rejects(it.work('crash'), { name: 'ImageProcessEnded', message: 'it ended by SIGABRT' })
  assert.equal((await it.work()).jobs, 1)
  assert.equal(it.processes.figures().forks, 2)
})

test('a process that ends without a job is forgotten', async () => {
  using it = scripted()
  await it.work()
  it.children[0]?.kill('SIGKILL')
  await exited(it.children[0])
  assert.equal((await it.work()).jobs, 1)
})

test('the 101st thumbnail that waits is refused; uploads are not, and go first', async () => {
  using it = scripted({ processes: 1 })
  const hanging = assert.rejects(it.work('hang'))
  const order: string[] = []
  const waiting = Array.from({ length: 100 }, () => it.processes.run(thumbnail('work')).then(() => order.push('thumbnail')))
  await assert.rejects(it.processes.run(thumbnail('work')), {
    code: 'IMAGES_BUSY',
    status: 503,
    retryAfter: 5,
    message: '100 thumbnails are waiting to be made; try again later',
  })
  const upload = it.work().then(() => order.push('upload'))
  assert.equal(it.processes.figures().waiting, 101)
  it.time.advance(20_000)
  await Promise.all([hanging, ...waiting, upload])
  assert.equal(order.indexOf('upload'), 0)
})

test('at the end of the server, jobs fail and processes end', async () => {
  using it = scripted()
  const jobs = [it.work('hang'), it.work('hang'), it.work()]
  const failures = Promise.all(jobs.map((job) => assert.rejects(job, { code: 'SERVER_NOT_READY' })))
  it.processes.close()
  await failures
  await Promise.all(it.children.map(exited))
  await assert.rejects(it.work(), { code: 'SERVER_NOT_READY' })
  assert.equal(it.children.length, 2)
  assert.deepEqual(it.time.waits(), [])
})
