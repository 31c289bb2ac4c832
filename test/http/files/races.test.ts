import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SYSTEM } from '../../../src/auth/permissions.ts'
import type { TestApp } from '../../helpers/api/app.ts'
import { repetitions } from '../../helpers/counts.ts'
import { openArticles, places, upload } from './articles.ts'

/** The error of a write; undefined if it succeeded. */
async function errorOf(write: Promise<unknown>): Promise<unknown> {
  try {
    await write
    return undefined
  } catch (error) {
    return (error as { details?: unknown }).details ?? error
  }
}

test('of two requests that attach the same upload, one gets it and the other the error of the field', async () => {
  await using app: TestApp = await openArticles()
  const { records } = app.app
  const [one, two] = [1, 2].map((id) => String(id))
  for (const title of ['One', 'Two']) await records.create(SYSTEM, 'article', { data: { title } })
  for (let count = 0; count < repetitions(30, 10_000); count++) {
    const id = await upload(app, { user_id: null })
    const create = () => records.create(SYSTEM, 'article', { data: { title: 'New', gallery: [id] } })
    const update = (record = '') => records.update(SYSTEM, 'article', record, { data: { gallery: [{ id, alt: 'x' }] } })
    const pairs = [
      [create, create],
      [() => update(one), () => update(two)],
      [create, () => update(one)],
    ] as const
    const pair = pairs[count % pairs.length] ?? []
    const errors = (await Promise.all(pair.map((write) => errorOf(write())))).filter((error) => error !== undefined)
    assert.deepEqual(errors, [{ gallery: [`gallery: there is no upload '${id}'; uploads are kept for 24 hours`] }])
  }
  assert.ok(!(await places(app)).some((place) => place.includes('pending')))
})
