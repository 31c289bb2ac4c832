import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { play } from '../../helpers/api/scenario.ts'
import { withApp } from '../../security/access.ts'

describe('a search', () => {
  test('finds stop words, in a model and in all', () =>
    withApp(async (app) => {
      for (const [at, name] of ['IT', 'US', 'Will', 'Who', 'About'].entries()) {
        const data = { name, slug: `word-${at}`, color: '#112233' }
        const { json } = await play(app, { request: 'POST /api/v1/models/tag', body: { data }, status: 201 })
        for (const q of [name, name.toLowerCase()]) {
          const found = await play(app, { request: `GET /api/v1/models/tag/search?q=${q}`, status: 200 })
          assert.equal(found.json.data[0].id, json.data.id, q)
          const everywhere = await play(app, { request: `GET /api/v1/search?q=${q}&models=tag`, status: 200 })
          assert.equal(everywhere.json.data[0].id, json.data.id, q)
        }
      }
    }))

  test('finds words with and without characters that are not seen', () =>
    withApp(async (app) => {
      const data = { name: 'Cater\u00adpil\u200blar', slug: 'unseen', color: '#112233' }
      const { json } = await play(app, { request: 'POST /api/v1/models/tag', body: { data }, status: 201 })
      for (const q of ['caterpillar', 'cater\u00adpillar']) {
        const found = await play(app, { request: `GET /api/v1/models/tag/search?q=${encodeURIComponent(q)}`, status: 200 })
        assert.deepEqual(found.json.hits[0].matches, { name: [[0, 13]] })
        assert.equal(found.json.data[0].id, json.data.id)
      }
    }))
})
