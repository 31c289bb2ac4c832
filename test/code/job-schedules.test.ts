import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Cron } from 'croner'
import { dueOccurrences, JobSchedules } from '../../src/code/job-schedules.ts'
import { silentLog } from '../../src/log/log.ts'
import { TEST_START } from '../helpers/api/app.ts'
import { withShop } from '../helpers/code/shop.ts'

const at = (time: string) => Date.parse(`2026-03-01T${time}Z`)
const due = (pattern: string, last: number, now: number, timezone = 'UTC') =>
  dueOccurrences(new Cron(pattern, { timezone, paused: true }), last, now).map((time) =>
    new Date(time).toISOString().slice(5, 19),
  )

test('each occurrence of the last seconds is due, and the latest of those that were missed', () => {
  assert.deepEqual(due('* * * * * *', at('10:00:00'), at('10:00:02.500')), ['03-01T10:00:01', '03-01T10:00:02'])
  assert.deepEqual(due('* * * * * *', at('10:00:00'), at('10:00:00.999')), [])
  assert.deepEqual(due('* * * * * *', at('10:00:00'), at('10:00:01')), ['03-01T10:00:01'])
  assert.deepEqual(due('* * * * * *', at('10:00:00'), at('10:00:00') + 86_400_000), ['03-02T10:00:00'])
  assert.deepEqual(due('0 6 * * *', at('07:00:00') - 3 * 86_400_000, at('05:00:00')), ['02-28T06:00:00'])
  assert.deepEqual(due('0 6 * * *', at('06:00:00'), at('07:00:00')), [])
  // The clock was set back.
  assert.deepEqual(due('0 6 * * *', at('06:00:00') + 86_400_000, at('07:00:00')), [])
  // Summer time begins on 29 March: 2:30 does not exist, and 6:00 is an hour earlier in UTC.
  assert.deepEqual(due('0 6 * * *', at('00:00:00') + 27 * 86_400_000, at('07:00:00') + 28 * 86_400_000, 'Europe/Berlin'), [
    '03-29T04:00:00',
  ])
})

test('an occurrence is stored once by three schedules on one store; a day that was missed gives one', () =>
  withShop(
    async ({ app, all, until }) => {
      const { store, records, project } = app.app
      const schedule = project.jobs.get('tick')?.schedule
      assert.ok(schedule)
      let now = TEST_START
      const planned: (() => void)[] = []
      const row = () => ({
        name: 'tick',
        status: 'waiting',
        attempt: 0,
        failures: 0,
        lost: 0,
        of_server: true,
        enqueued_at: new Date(TEST_START).toISOString(),
      })
      const start = async () => {
        const schedules = new JobSchedules({
          ...{
            jobs: [{ name: 'tick', schedule, row }],
            store,
            records,
            log: { ...silentLog, error: (_, fields) => assert.fail(String(fields?.error)) },
            clock: () => now,
          },
          timer(_, work) {
            planned.push(work)
            return () => {}
          },
        })
        await schedules.start()
      }
      for (let process = 0; process < 3; process++) await start()
      const stored = async () => (await all('queuedjob')).map(({ occurrence }) => occurrence.slice(5))
      /** All processes read the clock at a time. */
      const passTo = async (time: number) => {
        await until(async () => planned.length === 3)
        now = time
        for (const work of planned.splice(0)) work()
        await until(async () => planned.length === 3)
      }
      for (let second = 1; second <= 60; second++) await passTo(TEST_START + second * 1000 + 3)
      const minute = Array.from({ length: 60 }, (_, index) => new Date(TEST_START + (index + 1) * 1000).toISOString())
      assert.deepEqual(await stored(), minute)
      await passTo(TEST_START + 86_400_000)
      assert.deepEqual((await stored()).slice(60), ['2026-01-16T12:00:00.000Z'])
      // A process that starts an hour later counts from what is stored.
      planned.length = 0
      now += 3_600_000
      for (let process = 0; process < 3; process++) await start()
      await until(async () => planned.length === 3)
      assert.deepEqual((await stored()).slice(61), ['2026-01-16T13:00:00.000Z'])
    },
    {
      'jobs/tick.ts': `import { defineJob } from 'admin-folder'
export default defineJob({ name: 'tick', schedule: '* * * * * *', run() {} })
`,
    },
  ))
