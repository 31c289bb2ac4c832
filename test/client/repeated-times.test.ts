import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { dataProvider as forReactAdmin } from '../../src/client/react-admin.ts'
import { dataProvider as forRefine } from '../../src/client/refine.ts'
import { type LiveApp, loggedIn, noting, openLive, type Sent } from './live.ts'

/** Clocks go back from 3:00 to 2:00 on 27 October 2024. */
const ZONE = 'Europe/Berlin'

const SHOWN = '2024-10-27T02:30'
const MOMENTS = { first: '2024-10-27T00:30:00.000Z', second: '2024-10-27T01:30:00.000Z' }

describe('a local time that comes twice in autumn', () => {
  let app: LiveApp
  let sent: Sent[]
  let client: Awaited<ReturnType<typeof loggedIn>>
  const former = process.env.TZ
  beforeEach(async () => {
    process.env.TZ = ZONE
    app = await openLive()
    const noted = noting()
    client = await loggedIn(app, { fetch: noted.fetch })
    sent = noted.sent
  })
  afterEach(() => {
    if (former === undefined) delete process.env.TZ
    else process.env.TZ = former
    return app.close()
  })

  const stored = async () => (await client.model('post').read(1)).data
  const writes = () => sent.filter(({ method, path }) => method === 'PUT' && path === 'post/1')

  for (const [name, moment] of Object.entries(MOMENTS)) {
    test(`react-admin sends an untouched ${name} one not at all, and another field only`, async () => {
      await client.model('post').update(1, { published_at: moment })
      const provider = forReactAdmin(client)
      const { data: previousData } = await provider.getOne('post', { id: 1 })
      const data = { ...previousData, published_at: SHOWN }
      const before = writes().length
      await provider.update('post', { id: 1, data, previousData })
      assert.equal(writes().length, before)
      await provider.update('post', { id: 1, data: { ...data, title: 'Another headline' }, previousData })
      const { published_at, title } = await stored()
      assert.deepEqual([published_at, title], [moment, 'Another headline'])
      await provider.update('post', { id: 1, data: { ...data, published_at: '2024-10-27T02:31' }, previousData })
      assert.equal((await stored()).published_at, moment.replace(':30:', ':31:'))
    })

    test(`refine sends an untouched ${name} one not at all, and another field only`, async () => {
      await client.model('post').update(1, { published_at: moment })
      const provider = forRefine(client)
      const { data } = await provider.getOne({ resource: 'post', id: 1 })
      const before = writes().length
      await provider.update({ resource: 'post', id: 1, variables: { ...data, published_at: SHOWN } })
      assert.equal(writes().length, before)
      await provider.update({ resource: 'post', id: 1, variables: { ...data, published_at: SHOWN, title: 'Another headline' } })
      const { published_at, title } = await stored()
      assert.deepEqual([published_at, title], [moment, 'Another headline'])
      // Without the record as it was read, the provider reads it.
      await forRefine(client).update({ resource: 'post', id: 1, variables: { published_at: SHOWN, title: 'A third one' } })
      assert.equal((await stored()).published_at, moment)
    })
  }
})
