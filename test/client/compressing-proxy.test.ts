import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { dataProvider as reactAdmin } from '../../src/client/react-admin.ts'
import { dataProvider as refine } from '../../src/client/refine.ts'
import { type Nginx, NO_NGINX, startNginx } from '../helpers/api/nginx.ts'
import { type LiveApp, loggedIn, openLive } from './live.ts'

describe('behind an nginx that compresses JSON', { skip: NO_NGINX }, () => {
  let app: LiveApp
  let proxy: Nginx
  before(async () => {
    app = await openLive()
    proxy = await startNginx(app.url)
  })
  after(async () => {
    await proxy?.stop()
    await app?.close()
  })
  const throughProxy = () => loggedIn({ ...app, url: proxy.url })

  test('the tag of a record is weak on the way, and guards an update and a deletion', async () => {
    const authorization = `Bearer ${await app.tokenOf('admin')}`
    const url = `${proxy.url}/api/v1/models/tag/1`
    const read = await fetch(url, { headers: { authorization, 'accept-encoding': 'gzip' } })
    const tag = read.headers.get('etag') ?? ''
    assert.match(tag, /^W\/"/)
    const unchanged = await fetch(url, { headers: { authorization, 'if-none-match': tag, 'cache-control': 'no-cache' } })
    assert.equal(unchanged.status, 304)
    const headers = { authorization, 'content-type': 'application/json', 'if-match': tag }
    const put = { method: 'PUT', headers, body: JSON.stringify({ data: { color: '#010203' } }) }
    assert.equal((await fetch(url, put)).status, 200)
    assert.equal((await fetch(url, put)).status, 412)
  })

  test('the client, react-admin and refine save what they have read', async () => {
    const client = await throughProxy()
    const tags = client.model('tag')
    const read = await tags.read(2)
    assert.match(read.etag, /^"/)
    const changed = await tags.update(2, { color: '#111111' }, { if_match: read.etag })
    assert.equal((await tags.read(2)).etag, changed.etag)
    await assert.rejects(tags.update(2, { color: '#222222' }, { if_match: read.etag }), { type: 'precondition' })
    const { data: previousData } = await reactAdmin(client).getOne('tag', { id: 3 })
    const edit = { id: 3, data: { ...previousData, color: '#333333' }, previousData }
    assert.equal((await reactAdmin(client).update('tag', edit)).data.color, '#333333')
    const saved = await refine(client).update({ resource: 'tag', id: 4, variables: { color: '#444444' } })
    assert.equal(saved.data.color, '#444444')
  })
})
