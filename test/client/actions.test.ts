import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type AdminError, createClient } from '../../src/client/client.ts'
import { apiDocument } from '../../src/http/api.ts'
import { describedBy, typesOf, typesOfModels } from '../../src/openapi/typescript.ts'
import { ADMIN_SEED, openTestApp } from '../helpers/api/app.ts'
import { typeCheck } from '../helpers/types/type-check.ts'
import { projectOf } from '../openapi/documents.ts'

const FILES = {
  'models/post.yaml': 'name: Post\nfields:\n  - { name: title, type: string }\n  - { name: rating, type: integer }\n',
  'models/tag.yaml': 'name: Tag\nfields: [{ name: name, type: string }]\n',
  'actions/post.yaml': `- { model: Post, name: clear, when: self.rating > 0, set: { rating: null } }
- model: Post
  name: rate
  input: [{ name: stars, type: integer, required: true }, { name: why, type: choice, choices: [good, bad] }]
  set: { rating: { input: stars } }
`,
}

const SEED = { ...ADMIN_SEED, 'seed/post.yaml': '- { title: one }\n- { title: two }\n- { title: three }\n' }

const USE = `import { createClient } from 'admin-folder/client'
import type { All_Models } from './admin.ts'
const client = createClient<All_Models>({ url: '' })
const posts = client.model('post')
export const all = [
  posts.action('clear', 1),
  posts.action('rate', [1, 2], { stars: 3, why: 'good' }, { dryRun: true }),
  posts.action('rate', { filters: { title: 'x' }, expectedTotal: 1 }, { stars: 3 }),
]
export const read = async (): Promise<[string, (number | null)[]]> => {
  const { message, data } = await posts.action('clear', 1)
  return [message, data.map(({ rating }) => rating)]
}
// @ts-expect-error the model has no such action
posts.action('cleer', 1)
// @ts-expect-error a field of the input is missing
posts.action('rate', 1, { why: 'good' })
// @ts-expect-error the input is mandatory
posts.action('rate', 1)
// @ts-expect-error none of the choices
posts.action('rate', 1, { stars: 3, why: 'so' })
// @ts-expect-error a model without actions has none
client.model('tag').action('clear', 1)
export const untyped = createClient({ url: '' }).model('post').action('any', 1, { thing: 1 })
`

describe('actions of the client', () => {
  test('are performed on one record, on several, and on those that match filters', async () => {
    await using app = await openTestApp({ files: { ...FILES, ...SEED }, settings: { port: 0 } })
    const port = await app.live.start()
    const posts = createClient({ url: `http://127.0.0.1:${port}`, token: await app.tokenOf('admin') }).model('post')
    const rated = await posts.action('rate', 1, { stars: 5 })
    assert.deepEqual([rated.message, rated.total, rated.data[0]?.rating], ['Rate: 1 record', 1, 5])
    assert.equal((await posts.action('rate', [1, 2], { stars: 4 })).total, 2)
    const few = { filters: { rating: 4 }, expectedTotal: 2 }
    assert.equal((await posts.action('rate', few, { stars: 3 }, { dryRun: true })).data[0]?.rating, 3)
    assert.equal((await posts.action('clear', few)).total, 2)
    await assert.rejects(
      posts.action('clear', 3),
      ({ type, message }: AdminError) => type === 'conflict' && message.includes('ID 3'),
    )
    await assert.rejects(posts.action('rate', 3), ({ type, fieldErrors }: AdminError) => {
      return type === 'validation' && 'input.stars' in fieldErrors
    })
    const { etag } = await posts.read(1)
    await posts.action('rate', 1, { stars: 1 }, { if_match: etag })
    await assert.rejects(posts.action('rate', 1, { stars: 1 }, { if_match: etag }), { type: 'precondition' })
  })

  test('have types, the same from a project and from the document of its server', async () => {
    const project = await projectOf(FILES)
    const types = typesOf(project)
    assert.equal(await typeCheck({ 'admin.ts': types, 'use.ts': USE }), '')
    assert.equal(typesOfModels(describedBy(apiDocument(project))), types)
  })
})
