import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { EventReader } from './event-reader.ts'
import { beginFollowing, serverTest, settle, tag, told, write } from './served.ts'

describe('live events', () => {
  serverTest('tell of changes in commit order, without data of records', async (served) => {
    const reader = await served.open('admin')
    await tag(served.app, 'a')
    await write(served.app, 'PUT /api/v1/models/tag/1', { data: { name: 'b' } })
    await write(served.app, 'DELETE /api/v1/models/tag/1')
    await settle(served)
    await reader.until(({ changes }) => changes.length === 3)
    assert.deepEqual(told(reader), ['create tag 1', 'update tag 1', 'delete tag 1'])
    assert.deepEqual(Object.keys(reader.changes[0]?.data ?? {}), ['model', 'record_id', 'action', 'at'])
  })

  serverTest('are only of models and records that the user may view', async (served) => {
    const [admin, ann, bob] = [await served.open('admin'), await served.open('ann'), await served.open('bob')]
    await tag(served.app, 'a')
    await write(served.app, 'POST /api/v1/models/secret', { data: { name: 'x' } })
    await write(served.app, 'POST /api/v1/models/note', { data: { text: 'of ann', owner_id: 2 } })
    await write(served.app, 'PUT /api/v1/models/note/1', { data: { owner_id: 3 } })
    await write(served.app, 'PUT /api/v1/models/note/1', { data: { text: 'of bob' } })
    await write(served.app, 'DELETE /api/v1/models/note/1')
    await settle(served)
    await admin.until(({ changes }) => changes.length === 6)
    await bob.until(({ changes }) => changes.length === 3)
    assert.deepEqual(told(ann), ['create tag 1', 'create note 1', 'update note 1'], 'the last is that the note is lost')
    assert.deepEqual(told(bob), ['update note 1', 'update note 1', 'delete note 1'])
  })

  serverTest('can be limited to models, and refuse those that the user may not view', async (served) => {
    const reader = await served.open('admin', '?models=secret')
    await tag(served.app, 'a')
    await write(served.app, 'POST /api/v1/models/secret', { data: { name: 'x' } })
    await settle(served)
    await reader.until(({ changes }) => changes.length === 1)
    assert.deepEqual(told(reader), ['create secret 1'])
    const { response } = await EventReader.open(`${served.url}/api/v1/events?models=secret`, await served.app.tokenOf('ann'))
    assert.equal(response.status, 403)
    const unknown = await EventReader.open(`${served.url}/api/v1/events?model=tag`, await served.app.tokenOf('admin'))
    assert.equal(unknown.response.status, 400)
  })

  serverTest('go on after Last-Event-ID, and reset for an id that is not known', async (served) => {
    const first = await served.open('admin')
    await tag(served.app, 'a')
    await tag(served.app, 'b')
    await settle(served)
    await first.until(({ changes }) => changes.length === 2)
    first.stop()
    await tag(served.app, 'c')
    const second = await served.open('admin', '', first.changes[0]?.id)
    await settle(served)
    await second.until(({ changes }) => changes.length === 2)
    assert.deepEqual(told(second), ['create tag 2', 'create tag 3'])
    const lost = await served.open('admin', '', 'another-run-7')
    assert.equal(lost.events[0]?.event, 'reset')
  })

  serverTest('end when the permission, the session, the account or the token ends', async (served) => {
    const { app } = served
    const ann = await served.open('ann')
    await tag(app, 'a')
    await settle(served)
    await ann.until(({ changes }) => changes.length === 1)
    await write(app, 'PUT /api/v1/models/group/1', { data: { permissions: [] } })
    await tag(app, 'b')
    await settle(served)
    assert.deepEqual(told(ann), ['create tag 1'])
    await write(app, 'PUT /api/v1/models/user/2', { data: { is_active: false } })
    await settle(served)
    await ann.ended
    assert.equal(ann.events.at(-1)?.event, 'expired')
    const { access_token: token, refresh_token: refresh } = await app.app.logins.login('bob', 'harbour-bob-2024')
    const { reader } = await EventReader.open(`${served.url}/api/v1/events`, token)
    await reader.until(({ events }) => events.length > 0)
    await app.app.logins.logout(refresh)
    await settle(served)
    await reader.ended
    assert.equal(reader.events.at(-1)?.event, 'expired')
    const admin = await served.open('admin')
    app.advance(31 * 60_000)
    await admin.ended
    assert.equal(admin.events.at(-1)?.event, 'expired')
  })

  serverTest('end with reset when the data is replaced, which they do not delay', async (served) => {
    const reader = await served.open('admin')
    const begun = performance.now()
    await served.app.live.replace({ data: { kind: 'reset', seeds: true, accounts: false } })
    await reader.ended
    assert.equal(reader.events.at(-1)?.event, 'reset')
    assert.ok(performance.now() - begun < 3000)
    await beginFollowing(served.app)
    const again = await served.open('admin', '', reader.lastId)
    assert.equal(again.events[0]?.event, 'reset')
  })

  serverTest('have comments, so that proxies do not close them', async (served) => {
    const token = await served.app.tokenOf('admin')
    const response = await fetch(`${served.url}/api/v1/events`, { headers: { authorization: `Bearer ${token}` } })
    const chunks = response.body?.getReader()
    await chunks?.read()
    served.app.advance(25_000)
    assert.equal(new TextDecoder().decode((await chunks?.read())?.value), ':\n\n')
    await chunks?.cancel()
  })

  serverTest('answer HEAD without a stream', async ({ app, url }) => {
    const headers = { authorization: `Bearer ${await app.tokenOf('admin')}` }
    const response = await fetch(`${url}/api/v1/events`, { method: 'HEAD', headers })
    assert.equal(response.status, 204)
    assert.equal(app.app.events.size, 0)
  })
})
