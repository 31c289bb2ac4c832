import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AdminError, type SavedView, type Site } from '../../src/client/client.ts'
import { type KeptView, takeOverFilters, type ViewAccount } from '../../src/ui/data/kept-filters.ts'
import { defaultView, openedSearch, viewSearch } from '../../src/ui/data/saved-views.ts'
import { allColumns } from '../../src/ui/list/columns.ts'
import { readListState } from '../../src/ui/list/list-state.ts'
import { isChanged, savedQuery, viewFaults } from '../../src/ui/list/view-changes.ts'
import { formerDefaults, writeView } from '../../src/ui/list/view-writes.ts'
import { PreferenceStore } from '../../src/ui/preferences.ts'
import { parseSearch, stringifySearch } from '../../src/ui/search-params.ts'
import { relationTo, siteField, siteModel } from './site-fixture.ts'

const ME = 7

const savedView = (id: number, more: Partial<SavedView> = {}): SavedView => ({
  id,
  name: `View ${id}`,
  model: 'post',
  query: 'filter=status%3Ddraft&sort=-title',
  look: null,
  user_id: ME,
  groups: [],
  everyone: false,
  default_for: null,
  updated_at: null,
  etag: `"${id}"`,
  can: ['change', 'delete'],
  ...more,
})

const siteWith = (saved_views: readonly SavedView[]): Site =>
  ({
    saved_views,
    user: { id: ME, username: 'me', is_superuser: false, groups: [{ id: 3, name: 'Authors' }] },
    models: [],
  }) as never

const state = (query: string) => readListState(parseSearch(query))

test('the default of the user wins over those that others share, and that of a group over that of everyone', () => {
  const everyones = savedView(1, { user_id: 1, everyone: true, default_for: 'all' })
  const groups = savedView(2, { user_id: 1, groups: [3], default_for: 'all' })
  const shared = savedView(3, { groups: [3], default_for: 'all' })
  const mine = savedView(4, { default_for: 'user' })
  // Of another user, for that user alone.
  const foreign = savedView(5, { user_id: 1, everyone: true, default_for: 'user' })
  const opened = (...views: SavedView[]) => defaultView(siteWith(views), 'post')?.id
  assert.equal(opened(everyones, groups, shared, mine, foreign), 4)
  assert.equal(opened(everyones, groups, shared, foreign), 3)
  assert.equal(opened(everyones, groups, foreign), 2)
  assert.equal(opened(everyones, foreign), 1)
  assert.equal(opened(foreign, savedView(6)), undefined)
  assert.equal(defaultView(siteWith([mine]), 'tag'), undefined)
})

test('only an empty address opens the default', () => {
  const view = savedView(4, { query: 'filter=a%3D1&page=3&view=9' })
  assert.deepEqual(openedSearch({}, view), viewSearch(view))
  assert.equal(stringifySearch(openedSearch({ q: undefined }, view)), '?filter=a%3D1&view=4')
  for (const search of [{ view: 'none' }, { q: 'ferry' }]) assert.equal(openedSearch(search, view), search)
  const empty = {}
  assert.equal(openedSearch(empty, undefined), empty)
})

test('a list differs from its view by what it shows and by its look, not by page or order of filters', () => {
  const view = savedView(1, { query: 'filter=a%3D1&filter=b%3D2&sort=x' })
  const look = { look: {}, saved: {} }
  assert.equal(isChanged(view, state('?view=1&filter=b%3D2&filter=a%3D1&sort=x&page=4'), look), false)
  for (const query of [
    '?view=1&filter=a%3D1&sort=x',
    '?view=1&filter=a%3D1&filter=b%3D2',
    '?view=1&filter=a%3D1&filter=b%3D2&sort=x&columns=a',
  ])
    assert.equal(isChanged(view, state(query), look), true, query)
  const same = state('?filter=a%3D1&filter=b%3D2&sort=x')
  const saved = { widths: { a: 100, b: 90 }, density: 'comfortable' } as const
  assert.equal(isChanged(view, same, { look: { widths: { b: 90, a: 100 }, totals: [] }, saved }), false)
  for (const changed of [
    { widths: { a: 100 } },
    { ...saved, density: 'compact' as const },
    { ...saved, pinned: [] },
    { ...saved, totals: ['sum' as const] },
  ])
    assert.equal(isChanged(view, same, { look: changed, saved }), true, JSON.stringify(changed))
})

test('a view keeps the address of the list without page and view', () => {
  assert.equal(
    savedQuery(state('?view=3&list=A&filter=a%3D1&columns=a,b&page_size=50&page=3')),
    'list=A&filter=a%3D1&columns=a%2Cb&page_size=50',
  )
  assert.equal(savedQuery(state('?view=3')), '')
})

test('fields and lists that are gone are named, and the rest of the view is kept', () => {
  const tag = siteModel('tag', 'name', [siteField('name')])
  const post = siteModel('post', 'title', [siteField('title'), siteField('tag_id', 'foreignkey', relationTo('tag', 'tag'))])
  const site = { models: [post, tag], saved_views: [] } as never
  const view = { name: 'PostList', view_type: 'list', model: 'Post', fields: [] } as never
  const place = { site, model: post, view, all: allColumns(post, view, []) }
  const query =
    '?view=1&list=Gone&filter=title%3Da&filter=tag__name%3Db&filter=tag__size%3D1&filter=lost%3D1&sort=-lost,title&columns=lost,title,old'
  const { names, rest } = viewFaults(place, state(query))
  assert.deepEqual(names, ['Gone', 'tag__size', 'lost', 'old'])
  assert.equal(savedQuery(rest), 'filter=title%3Da&filter=tag__name%3Db&sort=title&columns=title')
  assert.deepEqual(viewFaults(place, state('?list=PostList&filter=title%3Da')).names, [])
})

test('a new default takes the place of the former one of the same users', () => {
  const views = [
    savedView(1, { default_for: 'user' }),
    savedView(2, { groups: [3], default_for: 'all' }),
    savedView(3, { groups: [4], default_for: 'all' }),
    savedView(4, { everyone: true, default_for: 'all' }),
    savedView(5, { user_id: 1, everyone: true, default_for: 'all', can: [] }),
    savedView(6, { model: 'tag', default_for: 'user' }),
    savedView(7, { user_id: 1, groups: [3], default_for: 'user' }),
  ]
  const former = (next: object) => formerDefaults(siteWith(views), { model: 'post', ...next }).map(({ id }) => id)
  assert.deepEqual(former({ id: 9, default_for: 'user' }), [1])
  assert.deepEqual(former({ id: 1, default_for: 'user' }), [])
  assert.deepEqual(former({ default_for: 'all', groups: [3] }), [2])
  assert.deepEqual(former({ default_for: 'all', everyone: true, groups: [3] }), [4])
  assert.deepEqual(former({ default_for: null }), [])
})

test('a view is stored only over the version that it began with, and names those that were changed elsewhere', async () => {
  const former = savedView(2, { name: 'Former', default_for: 'user' })
  const sent: unknown[] = []
  const client = (error?: Error) =>
    ({
      batch: async (operations: readonly unknown[]) => {
        sent.push(...operations)
        if (error !== undefined) throw error
        return { data: [{ id: 1 }], etags: ['"new"'] }
      },
    }) as never
  const write = { saved: savedView(1), values: { default_for: 'user' } } as const
  assert.deepEqual(await writeView(client(), siteWith([former]), write), { id: 1, etag: '"new"', changed: [] })
  assert.deepEqual(sent, [
    { method: 'update', model: 'savedview', id: 1, if_match: '"1"', data: { default_for: 'user' } },
    { method: 'update', model: 'savedview', id: 2, if_match: '"2"', data: { default_for: null } },
  ])
  const refusal = (fieldErrors: Record<string, string[]>) =>
    new AdminError('Invalid', { type: 'validation', status: 400, fieldErrors })
  const outdated = refusal({ '1.if_match': ['changed'] })
  assert.deepEqual(await writeView(client(outdated), siteWith([former]), write), { id: undefined, changed: [former] })
  const created = { saved: undefined, values: { model: 'post', default_for: 'user' } } as const
  assert.deepEqual((await writeView(client(outdated), siteWith([former]), created)).changed, [former])
  const unnamed = refusal({ '0.name': ['name is mandatory'] })
  await assert.rejects(writeView(client(unnamed), siteWith([former]), write), unnamed)
})

/** A storage of a browser. */
function memoryStorage(): Storage {
  const values = new Map<string, string>()
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  } as Storage
}

const invalid = () => new AdminError('The name is used', { type: 'validation', status: 400, summary: undefined })

/** The saved views of a user on a server that refuses some requests. */
function account(stored: SavedView[], fault: (view: KeptView, place: number) => Error | undefined = () => undefined) {
  const asked: string[] = []
  const own: ViewAccount = {
    own: async () => [...stored],
    create: async (view) => {
      asked.push(view.name)
      const error = fault(view, asked.length)
      if (error !== undefined) throw error
      stored.push(savedView(stored.length + 1, view))
    },
  }
  return { own, asked, stored }
}

const KEPT = {
  post: [
    { name: 'Drafts', search: '?filter=status%3Ddraft' },
    { name: 'Long', search: '?q=long' },
  ],
  secret: [{ name: 'Hidden', search: '' }],
}

function keeping(kept: object): PreferenceStore {
  const store = new PreferenceStore(memoryStorage())
  store.set('savedFilters', kept as never)
  return store
}

test('filters of the browser become views, those of models that the user may not view stay', async () => {
  const kept = keeping(KEPT)
  const { own, stored } = account([savedView(1, { name: 'Drafts', query: 'other=1' })])
  assert.equal(await takeOverFilters(kept, new Set(['post']), own), true)
  assert.deepEqual(
    stored.slice(1).map(({ name, query }) => [name, query]),
    [
      ['Drafts (2)', 'filter=status%3Ddraft'],
      ['Long', 'q=long'],
    ],
  )
  assert.deepEqual(kept.get('savedFilters'), { secret: KEPT.secret })
  assert.equal(await takeOverFilters(kept, new Set(['post', 'secret']), own), true)
  assert.equal(kept.get('savedFilters'), undefined)
})

test('a filter stays in the browser until its view is stored', async () => {
  const kept = keeping(KEPT)
  const { own, stored } = account([], (_, place) => (place === 2 ? new Error('No connection') : undefined))
  assert.equal(await takeOverFilters(kept, new Set(['post']), own), false)
  assert.deepEqual(kept.get('savedFilters'), { ...KEPT, post: [KEPT.post[1]] })
  assert.equal(await takeOverFilters(kept, new Set(['post']), own), true)
  assert.deepEqual(kept.get('savedFilters'), { secret: KEPT.secret })
  assert.equal(stored.length, 2)
})

test('a filter that another window has taken over is not stored twice, one that the server refuses hinders no other', async () => {
  const kept = keeping(KEPT)
  const { own, stored } = account([], (view, place) => {
    if (place === 1) stored.push(savedView(1, view))
    return place === 1 ? invalid() : undefined
  })
  assert.equal(await takeOverFilters(kept, new Set(['post']), own), true)
  assert.deepEqual(
    stored.map(({ name }) => name),
    ['Drafts', 'Long'],
  )
  const refused = keeping(KEPT)
  const other = account([], ({ name }) => (name === 'Drafts' ? invalid() : undefined))
  assert.equal(await takeOverFilters(refused, new Set(['post']), other.own), false)
  assert.deepEqual(refused.get('savedFilters'), { ...KEPT, post: [KEPT.post[0]] })
})
