import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PeriodicTask } from '../../src/util/periodic-task.ts'
import { fakeTime } from '../helpers/time.ts'

const INTERVAL = 1000

const settle = () => new Promise((resolve) => setImmediate(resolve))

/** A periodic task whose runs end when the test lets them. */
function openTask() {
  const time = fakeTime(0)
  const errors: unknown[] = []
  const runs: { end(): void; fail(error: Error): void }[] = []
  const run = () => new Promise<void>((resolve, reject) => runs.push({ end: resolve, fail: reject }))
  const options = { timer: time.timer, intervalMs: INTERVAL, onError: (error: unknown) => errors.push(error) }
  return { task: new PeriodicTask(run, options), time, runs, errors }
}

test('runs at once, and again an interval after the end of each run, also after an error', async () => {
  const { task, time, runs, errors } = openTask()
  const started = task.start()
  assert.equal(runs.length, 1)
  assert.deepEqual(time.waits(), [])
  runs[0]?.end()
  await started
  time.advance(INTERVAL)
  assert.equal(runs.length, 2)
  time.advance(10 * INTERVAL)
  assert.equal(runs.length, 2, 'two runs overlap')
  runs[1]?.fail(new Error('the disk is full'))
  await settle()
  time.advance(INTERVAL)
  assert.deepEqual([runs.length, errors.length], [3, 1])
})

test('an error of the first run is that of the start, and there is no other run', async () => {
  const { task, time, runs, errors } = openTask()
  const started = task.start()
  runs[0]?.fail(new Error('the disk is full'))
  await assert.rejects(started, /the disk is full/)
  assert.deepEqual([time.waits(), errors], [[], []])
})

for (const name of ['first', 'second']) {
  test(`a stop during the ${name} run leaves no timer behind`, async () => {
    const { task, time, runs } = openTask()
    const started = task.start()
    if (name === 'second') {
      runs[0]?.end()
      await started
      time.advance(INTERVAL)
    }
    task.stop()
    for (const { end } of runs) end()
    await settle()
    assert.deepEqual(time.waits(), [])
  })
}
