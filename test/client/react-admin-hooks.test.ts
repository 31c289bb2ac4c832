import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { QueryClient } from '@tanstack/react-query'
import {
  CoreAdminContext,
  EditBase,
  Form,
  useCreate,
  useDeleteMany,
  useGetIdentity,
  useGetList,
  useGetMany,
  useGetManyReference,
  useInput,
  useNotificationContext,
  usePermissions,
  ValidationError,
} from 'ra-core'
import { createElement as h, type ReactElement, useEffect } from 'react'
import { authProvider, dataProvider } from '../../src/client/react-admin.ts'
import { hookResult, KEPT, show } from './browser.ts'
import { type LiveApp, loggedIn, noting, openLive, type Sent } from './live.ts'

describe('react-admin itself, with a live server', () => {
  let app: LiveApp
  let sent: Sent[]
  let within: (children: ReactElement) => ReactElement
  beforeEach(async () => {
    app = await openLive()
    const noted = noting()
    sent = noted.sent
    const client = await loggedIn(app, { fetch: noted.fetch })
    const providers = {
      dataProvider: dataProvider(client, { forms: { tag: { update: 'TagForm' } } }),
      authProvider: authProvider(client),
      queryClient: new QueryClient({ defaultOptions: KEPT }),
    }
    within = (children) => h(CoreAdminContext, providers, children)
  })
  afterEach(() => app.close())

  const USUAL = { pagination: { page: 1, perPage: 5 }, sort: { field: 'title', order: 'ASC' as const } }

  test('lists and counts', async () => {
    const { data, total } = await hookResult(
      within,
      () => useGetList('post', { ...USUAL, filter: { author: { username: 'anna.lind' }, rating__gte: 1 } }),
      ({ isSuccess }) => isSuccess,
    )
    assert.ok(data?.length === Math.min(5, Number(total)) && data.every(({ author_id }) => author_id === 3), JSON.stringify(data))
  })

  test('reports the error of a list', async ({ mock }) => {
    mock.method(console, 'error', () => {})
    const { error } = await hookResult(
      within,
      () => useGetList('post', { ...USUAL, filter: { titel: 'x' } }, { retry: false }),
      ({ isError }) => isError,
    )
    assert.match(String(error?.message), /Unknown field 'titel'; did you mean 'title'/)
  })

  test('gets many, references, the identity and permissions', async () => {
    const many = await hookResult(
      within,
      () => useGetMany('tag', { ids: [3, 1, 2] }),
      ({ isSuccess }) => isSuccess,
    )
    assert.deepEqual(
      many.data?.map(({ id }) => id),
      [3, 1, 2],
    )
    const posts = await hookResult(
      within,
      () => useGetManyReference('post', { ...USUAL, target: 'author_id', id: 3 }),
      ({ isSuccess }) => isSuccess,
    )
    assert.ok(
      posts.data?.every(({ author_id }) => author_id === 3),
      'posts of others',
    )
    const { identity } = await hookResult(within, useGetIdentity, (result) => result.identity !== undefined)
    assert.equal(identity?.fullName, 'Ingrid Solheim')
    const { permissions } = await hookResult(within, usePermissions, (result) => result.permissions !== undefined)
    assert.ok(permissions.includes('delete_post'), String(permissions))
  })

  test('creates, and deletes many', async () => {
    const data = { name: 'Nets', slug: 'nets' }
    const [, created] = await hookResult(
      within,
      () => {
        const [create, state] = useCreate()
        useEffect(() => void create('tag', { data }), [create])
        return [create, state] as const
      },
      ([, { isSuccess }]) => isSuccess,
    )
    const id = Number(created.data?.id)
    assert.equal(created.data?.slug, 'nets')
    const [, deleted] = await hookResult(
      within,
      () => {
        const [deleteMany, state] = useDeleteMany()
        useEffect(() => void deleteMany('tag', { ids: [id] }), [deleteMany])
        return [deleteMany, state] as const
      },
      ([, { isSuccess }]) => isSuccess,
    )
    assert.deepEqual(deleted.data, [id])
  })

  test('edits: a form sends what was changed, and shows each error at its input', async ({ mock }) => {
    mock.method(console, 'error', () => {})
    const form = h(Form, null, h(Input, { source: 'name' }), h(Input, { source: 'color' }))
    const edit = h(EditBase, { resource: 'tag', id: 1, mutationMode: 'pessimistic', redirect: false }, form)
    const screen = await show(within(h('div', null, edit, h(Notes))))
    await screen.until(() => screen.text().includes('name:'))
    await screen.type('name', 'x')
    await screen.type('color', 'red')
    await screen.submit()
    await screen.until(() => screen.text().includes('colour'))
    assert.match(screen.text(), /name: \[Name must be at least 2 characters long\]/)
    assert.match(screen.text(), /color: \[Write the colour as a # and six lower-case hex digits/)
    await screen.type('name', 'Seamanship')
    await screen.type('color', '#0000ff')
    await screen.submit()
    await screen.until(() => sent.filter(({ method }) => method === 'PUT').length === 2)
    assert.deepEqual(sent.findLast(({ method }) => method === 'PUT')?.body, {
      form_id: 'TagForm',
      data: { name: 'Seamanship', color: '#0000ff' },
    })
    await screen.until(() => screen.text().includes('updated'))
    await screen.close()
    const saved = await (await loggedIn(app)).model('tag').read(1)
    assert.deepEqual([saved.data.name, saved.data.color], ['Seamanship', '#0000ff'])
  })
})

/** An input, and what is wrong with it between brackets. */
function Input({ source }: { source: string }): ReactElement {
  const { field, fieldState } = useInput({ source })
  const error = fieldState.error?.message
  return h('label', null, h('input', field), `${source}: [`, error === undefined ? null : h(ValidationError, { error }), ']')
}

/** What people are notified of. */
function Notes(): ReactElement {
  const { notifications } = useNotificationContext()
  return h('p', null, notifications.map(({ message }: { message: unknown }) => String(message)).join(' '))
}
