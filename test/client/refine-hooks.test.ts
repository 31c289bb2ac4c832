import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import {
  type HttpError,
  Refine,
  useCreateMany,
  useCustom,
  useForm,
  useGetIdentity,
  useIsAuthenticated,
  useList,
  useMany,
  useOne,
  usePermissions,
} from '@refinedev/core'
import { createElement as h, type ReactElement, useEffect } from 'react'
import { authProvider, dataProvider } from '../../src/client/refine.ts'
import { hookResult, KEPT } from './browser.ts'
import { type LiveApp, loggedIn, noting, openLive, type Sent } from './live.ts'

describe('refine itself, with a live server', () => {
  let app: LiveApp
  let sent: Sent[]
  let within: (children: ReactElement) => ReactElement
  beforeEach(async () => {
    app = await openLive()
    const noted = noting()
    sent = noted.sent
    const client = await loggedIn(app, { fetch: noted.fetch })
    const props = {
      dataProvider: dataProvider(client, { forms: { tag: { update: 'TagForm' } } }),
      authProvider: authProvider(client),
      resources: [{ name: 'tag' }, { name: 'post' }],
      options: { disableTelemetry: true, reactQuery: { clientConfig: { defaultOptions: KEPT } } },
    }
    within = (children) => h(Refine, { ...props, children })
  })
  afterEach(() => app.close())

  test('lists, and gets one and many', async () => {
    const { result } = await hookResult(
      within,
      () =>
        useList({
          resource: 'post',
          pagination: { currentPage: 1, pageSize: 2 },
          sorters: [{ field: 'title', order: 'asc' }],
          filters: [{ field: 'author.username', operator: 'eq', value: 'anna.lind' }],
        }),
      ({ query }) => query.isSuccess,
    )
    assert.ok(Number(result.total) > 2 && result.data.every(({ author_id }) => author_id === 3), JSON.stringify(result))
    const one = await hookResult(
      within,
      () => useOne({ resource: 'tag', id: 2 }),
      ({ query }) => query.isSuccess,
    )
    assert.equal(one.result?.id, 2)
    const many = await hookResult(
      within,
      () => useMany({ resource: 'tag', ids: [3, 1] }),
      ({ query }) => query.isSuccess,
    )
    assert.deepEqual(
      many.result?.data.map(({ id }) => id),
      [3, 1],
    )
  })

  test('reports the error of a list', async () => {
    const { query } = await hookResult(
      within,
      () => useList({ resource: 'post', filters: [{ field: 'titel', operator: 'eq', value: 'x' }] }),
      (result) => result.query.isError,
    )
    assert.match(String(query.error?.message), /Unknown field 'titel'; did you mean 'title'/)
  })

  test('gets the identity and permissions, and calls other routes', async () => {
    const there = await hookResult(within, useIsAuthenticated, ({ isSuccess }) => isSuccess)
    assert.equal(there.data?.authenticated, true)
    const { data: identity } = await hookResult(
      within,
      () => useGetIdentity<{ name: string }>(),
      ({ isSuccess }) => isSuccess,
    )
    assert.equal(identity?.name, 'Ingrid Solheim')
    const { data: permissions } = await hookResult(
      within,
      () => usePermissions<string[]>({}),
      ({ isSuccess }) => isSuccess,
    )
    assert.ok(permissions?.includes('delete_post'), String(permissions))
    const custom = await hookResult(
      within,
      () => useCustom<{ total: number }>({ url: '/webhooks', method: 'get' }),
      ({ query }) => query.isSuccess,
    )
    assert.equal(custom.result.data.total, 0)
  })

  test('creates many', async () => {
    const values = [
      { name: 'Nets', slug: 'nets' },
      { name: 'Oars', slug: 'oars' },
    ]
    const { mutation } = await hookResult(
      within,
      () => {
        const state = useCreateMany({ resource: 'tag' })
        const { mutate } = state
        useEffect(() => mutate({ values }), [])
        return state
      },
      (state) => state.mutation.isSuccess,
    )
    assert.deepEqual(
      mutation.data?.data.map(({ slug }) => slug),
      ['nets', 'oars'],
    )
  })

  test('edits: a form sends the changes, and shows each error at its field', async ({ mock }) => {
    mock.method(console, 'error', () => {})
    const failed = await hookResult(
      within,
      () => useEdit({ name: 'x', color: 'red' }),
      ({ mutation }) => mutation.isError,
    )
    assert.deepEqual(failed.mutation.error?.errors, {
      name: ['Name must be at least 2 characters long'],
      color: ['Write the colour as a # and six lower-case hex digits, such as #1f6f8b'],
    })
    const done = await hookResult(
      within,
      () => useEdit({ name: 'Seamanship' }),
      ({ mutation }) => mutation.isSuccess,
    )
    assert.equal(done.mutation.data?.data.name, 'Seamanship')
    const { body } = sent.findLast(({ method }) => method === 'PUT') ?? assert.fail('nothing was sent')
    assert.deepEqual(body, { form_id: 'TagForm', data: { name: 'Seamanship' } })
  })
})

/** Edits the first tag: sends the record as it is, with these values, as soon as it is there. */
function useEdit(values: object) {
  const form = useForm<{ id: number; name: string }, HttpError>({ resource: 'tag', action: 'edit', id: 1, redirect: false })
  const record = form.query?.data?.data
  useEffect(() => {
    // What is refused is looked for where forms find it: in the mutation.
    if (record !== undefined && form.mutation.isIdle) form.onFinish({ ...record, ...values } as never).catch(() => {})
  }, [record])
  return form
}
