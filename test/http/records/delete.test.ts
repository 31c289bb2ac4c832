import assert from 'node:assert/strict'
import { ADMIN_SEED } from '../../helpers/api/app.ts'
import { play, scenario, scenarios } from '../../helpers/api/scenario.ts'
import { dataOf, ids, modelNotFound, recordNotFound } from './expected.ts'

scenarios('delete', [
  scenario('answers with a message and the record that was', 'DELETE /api/v1/models/tag/1', 200, {
    expect: { message: 'Record deleted successfully', data: { id: 1, name: 'Lighthouse', slug: 'lighthouse', color: '#d9822b' } },
    check: async (_, app) => {
      await play(app, { request: 'GET /api/v1/models/tag/1', status: 404, expect: recordNotFound('Tag', 1) })
      const reopened = await app.reopen()
      await play(reopened, { request: 'GET /api/v1/models/tag/1', status: 404 })
      await reopened.app.close()
    },
  }),
  scenario('shows no password of a user that was', 'DELETE /api/v1/models/user/9', 200, {
    events: { 'delete user': 1, 'create historyentry': 1 },
    expectPart: { message: 'Record deleted successfully', data: { id: 9, username: 'newcomer' } },
    check: ({ json, text }) => {
      assert.equal('password' in json.data, false)
      assert.equal(text.includes('$quick$'), false)
    },
  }),
  scenario('finds nothing the second time', 'DELETE /api/v1/models/tag/1', 404, {
    given: async (app) => void (await play(app, { request: 'DELETE /api/v1/models/tag/1', status: 200 })),
    expect: recordNotFound('Tag', 1),
  }),
  scenario('finds no record that is not there', 'DELETE /api/v1/models/user/999', 404, { expect: recordNotFound('User', 999) }),
  scenario('finds no model that is not there', 'DELETE /api/v1/models/spaceship/1', 404, { expect: modelNotFound('spaceship') }),
])

scenarios('deleting referenced records', [
  scenario('is refused under restrict, naming the model and how many of its records', 'DELETE /api/v1/models/user/3', 409, {
    events: {},
    check: async ({ json }, app) => {
      assert.deepEqual(Object.keys(json).sort(), ['details', 'error', 'status_code'])
      assert.equal(json.status_code, 409)
      assert.match(json.details, /\bpost\b/i)
      assert.match(json.details, /\b10\b/)
      await play(app, { request: 'GET /api/v1/models/user/3', status: 200 })
      const comment = await dataOf(app, 'GET /api/v1/models/comment/6')
      assert.equal(comment.author_id, 3)
    },
  }),
  scenario('deletes the referring records under cascade', 'DELETE /api/v1/models/post/1', 200, {
    events: { 'delete post': 1, 'delete comment': 3, 'create historyentry': 4 },
    expectPart: { data: { id: 1, slug: 'welcome-to-the-harbour-journal', tags: [{ id: 12, name: 'Volunteers' }] } },
    check: async (_, app) => {
      const { json } = await play(app, { request: 'GET /api/v1/models/comment?page_size=100', status: 200 })
      assert.equal(json.total, 97)
      assert.deepEqual(ids(json).slice(0, 2), [4, 5])
      assert.ok(json.data.every(({ post_id }: { post_id: number }) => post_id !== 1))
    },
  }),
  scenario('empties the references under set_null, of its own model too', 'DELETE /api/v1/models/category/1', 200, {
    check: async (_, app) => {
      for (const id of [1, 15, 17, 30, 37, 39]) {
        const post = await dataOf(app, `GET /api/v1/models/post/${id}`)
        assert.deepEqual([post.category_id, post.category], [null, null])
      }
      for (const id of [2, 3]) {
        const category = await dataOf(app, `GET /api/v1/models/category/${id}`)
        assert.deepEqual([category.parent_id, category.parent], [null, null])
      }
      assert.equal((await dataOf(app, 'GET /api/v1/models/category/7')).parent_id, 6)
      assert.equal((await dataOf(app, 'GET /api/v1/models/post/2')).category_id, 5)
    },
  }),
  scenario('leaves the comments of a user behind, without their author', 'DELETE /api/v1/models/user/6', 200, {
    check: async (_, app) => {
      for (const id of [10, 19, 31, 42, 60, 67, 94]) {
        const comment = await dataOf(app, `GET /api/v1/models/comment/${id}`)
        assert.deepEqual([comment.author_id, comment.author], [null, null])
      }
    },
  }),
  scenario('removes many-to-many links and leaves the records', 'DELETE /api/v1/models/tag/12', 200, {
    check: async (_, app) => {
      assert.deepEqual((await dataOf(app, 'GET /api/v1/models/post/1')).tags, [])
      assert.deepEqual((await dataOf(app, 'GET /api/v1/models/post/21')).tags, [
        { id: 1, name: 'Lighthouse' },
        { id: 8, name: 'Local history' },
      ])
      const { json } = await play(app, { request: 'GET /api/v1/models/post?page_size=100', status: 200 })
      assert.equal(json.total, 46)
      assert.equal(JSON.stringify(json).includes('Volunteers'), false)
    },
  }),
  scenario('removes a group from its members', 'DELETE /api/v1/models/group/3', 200, {
    check: async (_, app) => {
      assert.deepEqual((await dataOf(app, 'GET /api/v1/models/user/5')).groups, [{ id: 2, name: 'Authors' }])
      assert.deepEqual((await dataOf(app, 'GET /api/v1/models/user/6')).groups, [])
    },
  }),
])

const SHIP = `
- name: Ship
  fields:
    - { name: name, type: string }
- name: Mast
  fields:
    - { name: ship_id, type: one_to_one, model: ship, on_delete: cascade }
- name: Sail
  fields:
    - { name: mast_id, type: foreignkey, model: mast, on_delete: cascade }
- name: Flag
  fields:
    - { name: mast_id, type: foreignkey, model: mast }
- name: Port
  fields:
    - { name: ship_id, type: one_to_one, model: ship }
`

const SEVERAL_MODELS = {
  files: {
    'models/ship.yaml': SHIP,
    ...ADMIN_SEED,
    'seed/ship.yaml': '[{ name: Ylva }, { name: Holm }, { name: Skerry }]',
    'seed/mast.yaml': '[{ ship_id: 1 }, { ship_id: 2 }]',
    'seed/sail.yaml': '[{ mast_id: 1 }, { mast_id: 2 }]',
    'seed/flag.yaml': '[{ mast_id: 2 }]',
    'seed/port.yaml': '[{ ship_id: 3 }]',
  },
}

scenarios('delete through several models', SEVERAL_MODELS, [
  scenario('cascades over several models', 'DELETE /api/v1/models/ship/1', 200, {
    check: async (_, app) => {
      await play(app, { request: 'GET /api/v1/models/mast/1', status: 404 })
      await play(app, { request: 'GET /api/v1/models/sail/1', status: 404 })
      await play(app, { request: 'GET /api/v1/models/sail/2', status: 200 })
    },
  }),
  scenario('is rejected if a record of the cascade is restricted, and nothing is deleted', 'DELETE /api/v1/models/ship/2', 409, {
    check: async ({ json }, app) => {
      assert.match(json.details, /\bflag\b/i)
      await play(app, { request: 'GET /api/v1/models/mast/2', status: 200 })
      await play(app, { request: 'GET /api/v1/models/sail/2', status: 200 })
    },
  }),
  scenario('is rejected by default', 'DELETE /api/v1/models/ship/3', 409, {
    check: ({ json }) => {
      assert.match(json.details, /\bport\b/i)
      assert.match(json.details, /\b1\b/)
    },
  }),
])
