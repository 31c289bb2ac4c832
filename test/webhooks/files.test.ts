import assert from 'node:assert/strict'
import { test } from 'node:test'
import { play } from '../helpers/api/scenario.ts'
import { ARTICLES, upload } from '../http/files/articles.ts'
import { delivering } from './delivering.ts'

const API = '/api/v1/models/article'

test('the files of a record have their relative addresses in messages, as in responses', () =>
  delivering(
    [200, 200],
    async ({ app, worker, receiver }) => {
      const [first, second] = [await upload(app), await upload(app)]
      const body = { data: { title: 'Harbour', gallery: [first, second] } }
      const { data } = (await play(app, { request: `POST ${API}`, body, status: 201 })).json
      await worker.idle()
      const message = JSON.parse(receiver.received[0]?.body ?? '')
      assert.deepEqual([message.event, message.model], ['create', 'article'])
      const addresses = message.data.gallery.map(({ url }: { url: unknown }) => url)
      assert.deepEqual(
        addresses,
        [first, second].map((id) => `/api/v1/files/article/${data.id}/gallery/${id}`),
      )
      assert.deepEqual(message.data.gallery, data.gallery)

      await play(app, { request: `PATCH ${API}/${data.id}`, body: { data: { gallery: [second] } }, status: 200 })
      await worker.idle()
      const changed = JSON.parse(receiver.received[1]?.body ?? '')
      assert.equal(changed.event, 'update')
      assert.deepEqual(
        changed.data.gallery.map(({ url }: { url: unknown }) => url),
        addresses.slice(1),
      )
    },
    { files: ARTICLES, settings: { history: { days: 90 } } },
  ))
