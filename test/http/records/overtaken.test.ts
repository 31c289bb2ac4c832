import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { openTestApp } from '../../helpers/api/app.ts'
import { play, send } from '../../helpers/api/scenario.ts'
import { valuesOf } from '../../helpers/values-of.ts'
import { UNLIMITED } from './expected.ts'

const COUNT = 200
/** Turns of the event loop in which a small write is committed. */
const TURNS = 50
/** After this number of small writes the test gives up. */
const MAX_SMALL = 20

test('a bulk update whose records other writes change in every turn is repeated once: the others wait for it', async () => {
  // Processes that share a store do not wait for each other.
  await using app = await openTestApp({ settings: UNLIMITED, engine: 'embedded' })
  const tags = Array.from({ length: COUNT }, (_, index) => ({ name: `Overtaken ${index}`, slug: `overtaken-${index}` }))
  const { json } = await play(app, { request: 'POST /api/v1/models/tag/bulk', body: { records: tags }, status: 201 })
  const { id } = json.data[0]
  const { store } = app.app
  const find = store.findEach.bind(store)
  const small: Promise<{ status: number }>[] = []
  let reads = 0
  Object.assign(store, {
    async findEach(...given: Parameters<typeof find>) {
      const found = await find(...given)
      reads++
      if (small.length < MAX_SMALL) {
        small.push(send(app, { request: `PUT /api/v1/models/tag/${id}`, body: { data: { name: `Small ${reads}` } } }))
        for (let turn = 0; turn < TURNS; turn++) await nextTurn()
      }
      return found
    },
  })
  const body = { filters: ['slug__startswith=overtaken-'], expected_total: COUNT, data: { color: '#123456' } }
  const { json: updated } = await play(app, { request: 'PUT /api/v1/models/tag/bulk', body, status: 200 })
  assert.equal(reads, 2)
  assert.deepEqual([updated.data.length, updated.data[0].name], [COUNT, 'Small 1'])
  assert.deepEqual(valuesOf(await Promise.all(small), 'status'), [200, 200])
  const after = await play(app, { request: `GET /api/v1/models/tag/${id}`, status: 200 })
  assert.deepEqual([after.json.data.name, after.json.data.color], ['Small 2', '#123456'])
})
