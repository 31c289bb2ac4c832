import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { openTestApp } from '../helpers/api/app.ts'

test('the clinic reminds of the appointments of the next day, once each', async () => {
  await using app = await openTestApp({ fixture: 'clinic' })
  const { store } = app.app
  const jobs = async (name: string) =>
    (
      await store.find('queuedjob', {
        filters: [{ field: 'name', operator: 'eq', value: name }],
        sort: [],
        offset: 0,
        limit: 1000,
      })
    ).records
  const authorization = `Bearer ${await app.tokenOf('admin')}`
  const run = async () => {
    const reply = await app.server.inject({
      method: 'POST',
      url: '/api/v1/jobs/reminders/run',
      headers: { authorization },
      payload: {},
    })
    assert.equal(reply.statusCode, 202, reply.payload)
  }
  const { records } = await store.find('appointment', { filters: [], sort: [], offset: 0, limit: 3 })
  const tomorrow = new Date(app.time.clock() + 86_400_000).toISOString()
  for (const [index, { id }] of records.entries()) {
    const values = { starts_at: tomorrow, send_reminder: index > 0, status: index === 1 ? 'booked' : 'cancelled' }
    const reply = await app.server.inject({
      ...{ method: 'PUT', url: `/api/v1/models/appointment/${id}`, headers: { authorization } },
      payload: { data: values },
    })
    assert.equal(reply.statusCode, 200, reply.payload)
  }
  const { total } = await store.find('appointment', {
    filters: [
      { field: 'starts_at', operator: 'gte', value: `${tomorrow.slice(0, 10)}T00:00:00.000Z` },
      { field: 'starts_at', operator: 'lte', value: `${tomorrow.slice(0, 10)}T23:59:59.999Z` },
      { field: 'send_reminder', operator: 'eq', value: true },
    ],
    ...{ sort: [], offset: 0, limit: 1 },
  })
  assert.ok(total >= 2)
  // Both runs wait, so that the second finds the keys of the first.
  await run()
  await app.app.begin()
  while (!(await jobs('reminders')).every(({ status }) => status === 'done')) await setTimeout(5)
  while ((await jobs('reminder')).length < total || !(await jobs('reminder')).every(({ status }) => status === 'done'))
    await setTimeout(5)
  assert.equal((await jobs('reminder')).length, total)
  assert.match(app.logged.join(''), /A patient was reminded/)
})
