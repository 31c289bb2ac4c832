import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { EventReader } from './event-reader.ts'
import { manyTags, openStalled, serverTest, settle, tag, told, untilOpen, whileTimePasses, write } from './served.ts'

describe('live events', () => {
  serverTest('are limited to five streams of a user', async (served) => {
    const readers = await Promise.all(Array.from({ length: 5 }, () => served.open('admin')))
    const token = await served.app.tokenOf('admin')
    const { response } = await EventReader.open(`${served.url}/api/v1/events`, token)
    assert.deepEqual([response.status, response.headers.get('retry-after')], [429, '30'])
    readers[0]?.stop()
    await untilOpen(served.app, 4)
    await served.open('admin')
  })

  serverTest('are limited to 200 streams in all', async ({ app }) => {
    const names = Array.from({ length: 38 }, (_, index) => `user${index}`)
    const users = names.map((username) => ({ username, email: `${username}@example.org`, password: 'harbour-2024-long' }))
    await write(app, 'POST /api/v1/models/user/bulk', { records: users })
    const { records } = await app.app.store.find('user', { filters: [], sort: [], offset: 0, limit: 50 })
    const sink = { write() {}, backlog: 0, end() {}, destroy() {} }
    const open = (id: number) => {
      const user = records.find((each) => each.id === id) ?? assert.fail()
      const token = app.app.logins.issueAccessToken(user)
      return app.app.events.open({ token, models: undefined, lastEventId: undefined }, () => sink)
    }
    for (let id = 1; id <= 40; id++) for (let count = 0; count < 5; count++) await open(id)
    await assert.rejects(open(41), /Too many event streams are open \(200 in all\)/)
    app.app.events.stop()
    await whileTimePasses(app, open(41))
  })

  serverTest('begin with reset after more changes than are kept', async (served) => {
    const { app } = served
    const first = await served.open('admin')
    await tag(app, 'a')
    await settle(served)
    await first.until(({ changes }) => changes.length === 1)
    first.stop()
    for (let round = 0; round < 9; round++) await manyTags(app)
    const soon = await served.open('admin', '', first.lastId)
    await settle(served)
    await soon.until(({ changes }) => changes.length === 9000)
    soon.stop()
    for (let round = 0; round < 12; round++) await manyTags(app)
    const late = await served.open('admin', '', first.lastId)
    assert.equal(late.events[0]?.event, 'reset')
    await tag(app, 'z')
    await settle(served)
    await late.until(({ changes }) => changes.length === 1)
    assert.deepEqual(told(late), ['create tag 21002'])
  })

  serverTest('cut off a reader that does not read, and release its connection', async (served) => {
    const { app } = served
    const socket = await openStalled(served, 'admin')
    const connections = () =>
      new Promise<number>((resolve) => app.live.listener.server.getConnections((_, count) => resolve(count)))
    assert.equal(await connections(), 1)
    for (let round = 0; round < 200 && app.app.events.size > 0; round++) {
      await manyTags(app)
      await settle(served)
    }
    assert.equal(app.app.events.size, 0)
    for (let turn = 0; turn < 100 && (await connections()) > 0; turn++) await new Promise((resolve) => setTimeout(resolve, 5))
    assert.equal(await connections(), 0, 'although the client has not read on')
    socket.destroy()
  })

  serverTest('delay no shutdown, not even by readers that do not read', async (served) => {
    const { app } = served
    const [quiet, full] = [await openStalled(served, 'bob'), await openStalled(served, 'admin')]
    const isFull = () => [...app.live.listener.gate.inFlight].some(({ writableLength }) => writableLength > 0)
    for (let round = 0; round < 200 && !isFull(); round++) {
      await manyTags(app)
      await settle(served)
    }
    assert.ok(isFull() && app.app.events.size === 2)
    const reader = await served.open('ann')
    const begun = performance.now()
    await app.live.stop()
    // A stop waits 10 s for responses.
    assert.ok(performance.now() - begun < 2000)
    await reader.ended
    assert.equal(reader.events.at(-1)?.event, 'reset')
    for (const socket of [quiet, full]) socket.destroy()
  })
})
