import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { typesOf } from '../../src/openapi/typescript.ts'
import { typeCheck } from '../helpers/types/type-check.ts'
import { fixture } from '../openapi/documents.ts'

const CLIENT = `import { AdminError, createClient, webStorage } from 'admin-folder/client'
import type { All_Models } from './admin.ts'

const client = createClient<All_Models>({ url: '', storage: webStorage(localStorage) })
const posts = client.model('post')
// @ts-expect-error No model has this key.
client.model('psot')

export async function lists(signal: AbortSignal) {
  const page = await posts.list(
    {
      filters: { author__username: 'ann', status: 'draft', rating__gte: 4, status__in: ['draft', 'archived'], tags: 3, published_at: null,
        author__is_active: true, title__icontains: 'x', category_id__isnull: true, languages: 'de', category__position__lt: 2 },
      sort: ['-published_at', 'title'],
      page_size: 5,
    },
    { signal },
  )
  const username: string | undefined = page.data[0]?.author.username
  await posts.list({ filters: ['status=draft', 'rating__isnull=true'] })
  // @ts-expect-error The model has no field of this name.
  await posts.list({ filters: { titel: 'x' } })
  // @ts-expect-error No operator has this name.
  await posts.list({ filters: { title__like: 'x' } })
  // @ts-expect-error The value is none of the choices.
  await posts.list({ filters: { status: 'lost' } })
  // @ts-expect-error a number is compared with numbers
  await posts.list({ filters: { rating__gte: 'four' } })
  // @ts-expect-error a list is for __in
  await posts.list({ filters: { status: ['draft'] } })
  // @ts-expect-error a related field is of its own type
  await posts.list({ filters: { author__is_active: 'yes' } })
  // @ts-expect-error JSON has no order
  await posts.list({ sort: ['metadata'] })
  // @ts-expect-error misspelt
  await posts.list({ fields: ['titel'] })
  return [username, page.total.toFixed()]
}

export async function parts() {
  const { data } = await posts.list({ fields: ['title', 'tags'], include: ['author__username'] })
  const [first] = data
  // @ts-expect-error it was not asked for
  first?.body
  for await (const { id, title } of posts.all({ fields: ['title'], filters: { is_featured: true } })) return [id.toFixed(), title.trim()]
  const { data: one, etag } = await posts.read('1', { fields: ['rating'] })
  const rating: number | null = one.rating
  return [first?.author.username, first?.title.length, first?.tags[0]?.id, rating, etag.length]
}

export async function writes() {
  const { data, etag } = await client.model('tag').create({ name: 'Knots', slug: 'knots' }, { form_id: 'TagForm' })
  await client.model('tag').create({ name: 'Knots', slug: 'knots' })
  await client.model('tag').update(data.id, { color: null }, { form_id: 'TagForm', if_match: etag })
  // @ts-expect-error the form does not let the slug be changed
  await client.model('tag').update(data.id, { slug: 'x' }, { form_id: 'TagForm' })
  await client.model('tag').update(data.id, { slug: 'x' })
  // @ts-expect-error the slug is required
  await client.model('tag').create({ name: 'Knots' })
  // @ts-expect-error there is no such form
  await client.model('tag').create({ name: 'Knots', slug: 'knots' }, { form_id: 'NoForm' })
  await posts.bulkUpdate([{ id: 1, data: { tags: [1, { id: 2 }] } }], { form_id: 'PostForm' })
  // @ts-expect-error the author is set once
  await posts.bulkUpdate([{ id: 1, data: { author_id: 2 } }], { form_id: 'PostForm' })
  const { data: me } = await client.me()
  const found = await posts.search('x', { fields: ['title'] })
  return [me.username.length, found.hits[0]?.matches, (await client.views()).post[0]?.fields]
}

export async function batches() {
  const { data, etags } = await client.batch([
    { method: 'create', model: 'tag', data: { name: 'Knots', slug: 'knots' }, ref: 'knots', form_id: 'TagForm' },
    { method: 'update', model: 'post', id: 1, data: { tags: [1, { $ref: 'knots' }], category_id: { $ref: 'x' } }, if_match: '*' },
    { method: 'delete', model: 'comment', id: 3 },
  ])
  // @ts-expect-error the slug is required
  await client.batch([{ method: 'create', model: 'tag', data: { name: 'Knots' } }])
  // @ts-expect-error the form does not let the slug be changed
  await client.batch([{ method: 'update', model: 'tag', id: 1, data: { slug: 'x' }, form_id: 'TagForm' }])
  // @ts-expect-error a text is no relation
  await client.batch([{ method: 'update', model: 'tag', id: 1, data: { slug: { $ref: 'x' } } }])
  // @ts-expect-error no model has this key
  await client.batch([{ method: 'delete', model: 'psot', id: 1 }])
  // @ts-expect-error a deletion needs an id
  await client.batch([{ method: 'delete', model: 'post' }])
  const slug: string = data[0].slug
  const title: string = data[1].title
  return [slug, title, data[2].id.toFixed(), etags?.length]
}

export async function rehearsals() {
  const tags = client.model('tag')
  const real = await tags.create({ name: 'Knots', slug: 'knots' }, { form_id: 'TagForm' })
  const dry = await tags.update(1, { slug: 'x' }, { dryRun: true })
  // @ts-expect-error what is not stored has no version
  dry.etag
  const { consequences, blocked_by } = await posts.delete(1, { dryRun: true })
  // @ts-expect-error a deletion has no forecast
  ;(await posts.delete(1)).consequences
  const flag: boolean = consequences.length > 0
  const either = await posts.delete(1, { dryRun: flag })
  const all = await posts.bulkDelete({ filters: { status: 'draft' }, search: 'x', expectedTotal: 3 }, { dryRun: true })
  await posts.bulkUpdate({ filters: ['status=draft'], any: [{ rating__gte: 4 }], expectedTotal: 3, data: { rating: 1 } })
  // @ts-expect-error the number of records that match is needed
  await posts.bulkDelete({ filters: { status: 'draft' } })
  // @ts-expect-error The model has no field of this name.
  await posts.bulkUpdate({ filters: { titel: 'x' }, expectedTotal: 3, data: { rating: 1 } })
  // @ts-expect-error a rating is a number
  await posts.bulkUpdate({ filters: [], expectedTotal: 3, data: { rating: 'x' } })
  return [real.etag, real.data.slug, dry.data.slug, either.data.title, all.data[0]?.title, all.blocked_by[0]?.field, blocked_by.length]
}

export async function searches() {
  const { data } = await posts.search('x', { fields: ['title'], include: ['author__username'], sort: ['-rating'] })
  // @ts-expect-error an author has no such field
  await posts.search('x', { include: ['author__user'] })
  return data[0]?.author?.username
}

export async function changes(signal: AbortSignal) {
  const site = await client.site({ signal })
  const model: keyof All_Models | undefined = site.models[0]?.key
  const hits = await client.search('x', { models: ['post', 'tag'], limit: 5 })
  // @ts-expect-error No model has this key.
  await client.search('x', { models: ['pots'] })
  await client.subscribe({ models: ['post'], onChange: ({ model, record_id }) => void [model.length, record_id.toFixed()], signal })
  // @ts-expect-error No model has this key.
  await client.subscribe({ models: ['pots'], onChange: () => {} })
  const entries = await posts.history(1, { filters: { action: 'update', at__gte: new Date() }, sort: ['-at'], page_size: 5 })
  // @ts-expect-error changes have no order
  await client.history({ sort: ['changes'] })
  const all = await client.history({ filters: ['model=post'] })
  const { findings } = await client.lint()
  await client.deleteSnapshot('before', { signal })
  const icons: (string | null)[] = site.models.filter(({ history }) => history).map(({ icon }) => icon)
  const views = await client.views({ generated: true })
  return [model, icons.length, hits.data[0]?.model, entries.data[0]?.changes.title?.before, all.data[0]?.user?.username, findings[0]?.rule, views.tag[0]?.generated]
}

export const explain = (error: unknown): string[] =>
  error instanceof AdminError && error.type === 'validation' ? Object.keys(error.fieldErrors) : []

// @ts-expect-error a token is not kept
createClient({ url: '', token: 't', storage: webStorage(localStorage) })
const anything = createClient({ url: 'http://127.0.0.1:8000', token: 't' })
export async function untyped() {
  const { data } = await anything.model('whatever').list({ filters: { any__icontains: 'x', other__in: [1] }, sort: ['-any'], fields: ['any'] })
  await anything.model('whatever').create({ any: 1 }, { form_id: 'AnyForm' })
  await anything.model('whatever').update(1, { any: 1 })
  return [data[0]?.id, data[0]?.any]
}
`

const PROVIDERS = `import type { AuthProvider as RefineAuth, DataProvider as RefineData } from '@refinedev/core'
import { createClient } from 'admin-folder/client'
import * as reactAdmin from 'admin-folder/react-admin'
import * as refine from 'admin-folder/refine'
import type { AuthProvider, DataProvider } from 'ra-core'
import type { All_Models } from './admin.ts'

const client = createClient<All_Models>({ url: '' })
export const one: { dataProvider: DataProvider; authProvider: AuthProvider } = {
  dataProvider: reactAdmin.dataProvider(client, { forms: { post: { create: 'PostForm' } } }),
  authProvider: reactAdmin.authProvider(client),
}
export const other: { dataProvider: RefineData; authProvider: RefineAuth } = {
  dataProvider: refine.dataProvider(createClient({ url: '' })),
  authProvider: refine.authProvider(client, { login: '/enter' }),
}
`

describe('the types of the client, in a browser, under strict', () => {
  test('check calls against the models of a project', async () => {
    assert.equal(await typeCheck({ 'admin.ts': typesOf(await fixture('blog')), 'use.ts': CLIENT }), '')
  })

  test('of the providers match their frameworks', async () => {
    assert.equal(await typeCheck({ 'admin.ts': typesOf(await fixture('blog')), 'use.ts': PROVIDERS }), '')
  })
})
