import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Site } from '../../src/client/client.ts'
import { filterField, filterKind, filterSentence, offeredOperators } from '../../src/ui/list/filter-labels.ts'
import { filteredField, filterText, isUsable, itemsOf, itemsText, parseFilter } from '../../src/ui/list/filter-text.ts'
import { comparedField, convertedValue, faultyItems, filterValue, widgetValue } from '../../src/ui/list/filter-value.ts'
import { en } from '../../src/ui/text/en.ts'
import { Unparsed } from '../../src/ui/widgets/unparsed.ts'
import { relationTo, siteField, siteModel } from './site-fixture.ts'

const EN = { decimal: '.', group: ',' }
const DE = { decimal: ',', group: '.' }

const author = siteField('author_id', 'foreignkey', relationTo('author', 'user'))
const editor = siteField('editor_id', 'foreignkey', relationTo('editor', 'hidden'))
const post = siteModel('post', 'title', [siteField('title'), author, editor])
const user = siteModel('user', 'name', [siteField('name', 'string', { operators: ['eq', 'icontains'] })])
const site = { models: [post, user] } as unknown as Site

test('a filter is split into path, operator and value, and written again', () => {
  for (const [text, path, operator, value] of [
    ['status=draft', 'status', 'eq', 'draft'],
    ['title__icontains=a=b', 'title', 'icontains', 'a=b'],
    ['author__name__in="a,b",c', 'author__name', 'in', '"a,b",c'],
    ['rating__between=2,3', 'rating', 'between', '2,3'],
    ['in=1', 'in', 'eq', '1'],
    ['title=', 'title', 'eq', ''],
  ] as const) {
    assert.deepEqual(parseFilter(text), { path, operator, value }, text)
    assert.equal(filterText({ path, operator, value }), text)
  }
  assert.equal(parseFilter('title'), undefined)
})

test('a filter is used if its field and operator are those of the user', () => {
  assert.ok(isUsable(site, post, 'title=x'))
  assert.ok(isUsable(site, post, 'author__name__icontains=x'))
  assert.ok(!isUsable(site, post, 'title__icontains=x'))
  assert.ok(!isUsable(site, post, 'nosuch=x'))
  assert.ok(!isUsable(site, post, 'editor__name=x'), 'through a relation to a model that may not be viewed')
  assert.equal(filteredField(site, post, 'author__name')?.label, 'AUTHOR_ID: NAME')
})

test('a filter is used only if its value can be one of the field', () => {
  const operators = ['eq', 'in', 'isnull', 'gte', 'lt']
  const types = ['date', 'datetime', 'integer', 'decimal', 'time', 'boolean']
  const dated = siteModel('dated', 'id', [...types.map((type) => siteField(type, type, { operators })), author])
  const usable = (text: string) => isUsable({ models: [dated] } as unknown as Site, dated, text)
  for (const text of [
    ...['date__gte=2024-05-31', 'date__between=2024-05-31,', 'datetime__gte=2024-05-31T08:00:00Z', 'datetime=2024-05-31'],
    ...['integer=3', 'decimal__in=1.50,2', 'decimal__between=,2.5', 'time__gte=08:30', 'time__between=08:00:00,09:00'],
    ...['boolean=true', 'date__isnull=false', 'author_id=3', 'author_id__in=3,4'],
  ])
    assert.ok(usable(text), text)
  for (const text of [
    ...['date__gte=abc', 'date__gte=2024-02-31', 'date__between=abc,', 'datetime__gte=soon', 'datetime__between=2024-01-01,x'],
    ...['integer=three', 'integer=', 'decimal__in=1,two', 'decimal__between=a,b', 'time__gte=late', 'time__between=1,2'],
    ...['boolean=maybe', 'author_id=ann', 'integer__within=today'],
  ])
    assert.ok(!usable(text), text)
})

test('a value stays when another operator takes it', () => {
  const number = siteField('n', 'integer')
  const day = siteField('d', 'date')
  const at = siteField('at', 'datetime')
  const convert = (field: typeof number, value: unknown, from: string, to: string) =>
    convertedValue(field, value, { from, to }, DE)
  assert.equal(convert(number, 3, 'eq', 'gte'), 3)
  assert.deepEqual(convert(number, 3, 'eq', 'between'), [3, null])
  assert.equal(convert(number, [null, 4], 'between', 'lte'), 4)
  assert.deepEqual(convert(siteField('p', 'decimal'), '1.5', 'eq', 'in'), ['1,5'])
  assert.deepEqual(convert(number, ['1.000', '2'], 'in', 'between'), [1000, 2])
  assert.deepEqual(convert(siteField('title'), 'boat', 'icontains', 'in'), ['boat'])
  assert.equal(convert(siteField('title'), ['boat', 'deck'], 'in', 'eq'), 'boat')
  assert.deepEqual(convert(day, '2024-05-31', 'gte', 'between'), ['2024-05-31', null])
  assert.deepEqual(convert(day, null, 'gte', 'between'), [null, null])
  const typed = new Unparsed('31.5.', { kind: 'date', pattern: 'dd.mm.yyyy' })
  assert.deepEqual(convert(day, typed, 'gte', 'between'), [typed, null])
  assert.deepEqual(convert(day, typed, 'gte', 'in'), ['31.5.'])
  const midnight = convert(at, ['2024-05-31', null], 'between', 'gte')
  assert.equal(new Date(String(midnight)).getTime(), new Date(2024, 4, 31).getTime())
  assert.deepEqual(convert(at, midnight, 'gte', 'between'), ['2024-05-31', null])
})

test('the items of a list are quoted as in CSV', () => {
  const items = ['a', 'b,c', 'say "x"']
  assert.equal(itemsText(items), 'a,"b,c","say ""x"""')
  assert.deepEqual(itemsOf(itemsText(items)), items)
  assert.deepEqual(itemsOf(''), [])
})

test('an input has the type of one value, or of several', () => {
  const types = (type: string, operator: string) =>
    comparedField(filterField(siteField('f', type), undefined), operator)?.view.field_type
  assert.equal(types('many_to_many', 'eq'), 'foreignkey')
  assert.equal(types('foreignkey', 'in'), 'many_to_many')
  assert.equal(types('choice', 'in'), 'multichoice')
  assert.equal(types('email', 'icontains'), 'string')
  assert.equal(types('integer', 'in'), 'json')
  assert.equal(types('integer', 'empty'), undefined)
})

test('a filter has the title, labels and colours of the list view, and all choices of the model', () => {
  const options = { labels: { draft: 'In the drawer' }, colors: { draft: 'pink' }, choices: ['draft'], max_length: 3 }
  const shown = {
    name: 'status',
    title: 'State',
    options,
    required: false,
    readonly: false,
    disabled: false,
    is_primary_key: false,
  }
  const status = siteField('status', 'choice', { choices: [{ value: 'draft' }, { value: 'published' }] })
  const { view } = filterField(status, { name: 'PostList', view_type: 'list', fields: [shown] })
  assert.equal(view.title, 'State')
  assert.deepEqual(view.options, { labels: options.labels, colors: options.colors })
  assert.equal(filterField(status, undefined).view.title, 'STATUS')
})

test('related records that the user may not list are filtered by id', () => {
  const shown = filterField(author, undefined)
  assert.equal(comparedField(shown, 'eq', false)?.view.field_type, 'integer')
  assert.equal(comparedField(shown, 'in', false)?.view.widget, 'tags')
  assert.deepEqual(filterValue(author, 'in', ['3', '4'], EN), { operator: 'in', value: '3,4' })
  assert.equal(filterValue(author, 'in', ['3', 'anna'], EN), undefined)
})

test('a filter is a sentence', () => {
  const choices = [{ value: 'draft', label: 'Draft' }, { value: 'published', label: 'Published' }, { value: 'archived' }]
  const fields = [
    siteField('status', 'choice', { choices, label: 'Status' }),
    siteField('at', 'datetime', { label: 'Created at' }),
    siteField('day', 'date', { label: 'Event date' }),
    siteField('rating', 'number', { label: 'Rating' }),
    siteField('tags', 'many_to_many', { label: 'Tags', ...relationTo('tags', 'tag') }),
    siteField('title', 'string', { label: 'Title' }),
  ]
  for (const [text, sentence] of [
    ['status=draft', 'Status is Draft'],
    ['status__in=draft,published', 'Status is Draft or Published'],
    ['status__in=draft,published,archived', 'Status is Draft, Published or archived'],
    ['status__ne=draft', 'Status is not Draft'],
    ['at__within=last_7_days', 'Created in the last 7 days'],
    ['at__between=2024-06-01,2024-06-30', 'Created between 1 Jun 2024 and 30 Jun 2024'],
    ['at__between=2024-06-01,', 'Created at is on or after 1 Jun 2024'],
    ['day__within=today', 'Event date is today'],
    ['day__gt=2024-06-01', 'Event date is after 1 Jun 2024'],
    ['rating__between=1.5,3', 'Rating is between 1.5 and 3'],
    ['rating__between=,3', 'Rating is at most 3'],
    ['tags__in=1,2', 'Tags contains one or two'],
    ['title__icontains=boat', 'Title contains boat'],
    ['title__isnull=true', 'Title is empty'],
  ] as const) {
    const filter = parseFilter(text)
    const field = fields.find(({ name }) => name === filter?.path)
    assert.ok(filter && field, text)
    const nameOf = (id: string) => (field.relation === null ? undefined : ({ 1: 'one', 2: 'two' }[id] ?? id))
    const shown = filterField(field, undefined)
    assert.equal(filterSentence(field.label, filter, shown, { text: en, locale: 'en-GB', nameOf }), sentence)
  }
})

test('operators fit the type, and that of an address stays', () => {
  const operators = ['eq', 'ne', 'in', 'isnull', 'icontains', 'startswith', 'gt', 'gte', 'lt', 'lte']
  const offered = (type: string, more: object = {}, present?: string) => {
    const field = siteField('f', type, { operators, ...more })
    return offeredOperators(field, filterKind(field, true), present)
  }
  assert.deepEqual(offered('choice', { choices: [{ value: 'a' }] }), ['in', 'ne', 'empty', 'filled'])
  assert.deepEqual(offered('choice', { choices: [{ value: 'a' }] }, 'gt'), ['gt', 'in', 'ne', 'empty', 'filled'])
  assert.equal(offered('date')[0], 'within')
  assert.equal(offered('integer')[0], 'between')
  assert.equal(offered('string')[0], 'icontains')
  assert.deepEqual(offered('json', { operators: ['isnull'] }), ['empty', 'filled'])
})

test('values become filters only if the API can read them', () => {
  const number = siteField('n', 'integer')
  assert.deepEqual(filterValue(number, 'empty', null, EN), { operator: 'isnull', value: 'true' })
  assert.deepEqual(filterValue(number, 'filled', 3, EN), { operator: 'isnull', value: 'false' })
  assert.deepEqual(filterValue(number, 'eq', 0, EN), { operator: 'eq', value: '0' })
  assert.equal(filterValue(number, 'eq', null, EN), undefined)
  assert.deepEqual(filterValue(number, 'in', ['1', '2'], EN), { operator: 'in', value: '1,2' })
  assert.equal(filterValue(number, 'in', ['1', 'two'], EN), undefined)
  assert.equal(filterValue(number, 'in', [], EN), undefined)
  assert.equal(filterValue(siteField('d', 'date'), 'in', ['2024-13-01'], EN), undefined)
  assert.deepEqual(filterValue(siteField('b', 'boolean'), 'eq', false, EN), { operator: 'eq', value: 'false' })
  assert.deepEqual(filterValue(number, 'between', [1, null], EN), { operator: 'between', value: '1,' })
  assert.equal(filterValue(number, 'between', [null, ''], EN), undefined)
})

test('an editor begins with the value of its filter', () => {
  assert.equal(widgetValue({ path: 'b', operator: 'eq', value: 'true' }, siteField('b', 'boolean'), EN), true)
  assert.deepEqual(widgetValue({ path: 'n', operator: 'between', value: ',4' }, siteField('n', 'integer'), EN), [null, 4])
  assert.deepEqual(widgetValue({ path: 'author_id', operator: 'in', value: '3,4' }, author, EN), [3, 4])
  assert.deepEqual(widgetValue({ path: 'n', operator: 'in', value: '3,4' }, siteField('n', 'integer'), EN), ['3', '4'])
  assert.equal(widgetValue({ path: 'author_id', operator: 'isnull', value: 'true' }, author, EN), null)
  assert.equal(widgetValue({ path: 'title', operator: 'icontains', value: 'x' }, siteField('title'), EN), 'x')
})

test('numbers of a list are written with the signs of the language', () => {
  const price = siteField('price', 'decimal')
  assert.deepEqual(filterValue(price, 'in', ['1,5', '1.234,50'], DE), { operator: 'in', value: '1.5,1234.50' })
  assert.equal(filterValue(price, 'in', ['1,5', '12.5.3'], DE), undefined)
  assert.deepEqual(filterValue(price, 'in', ['1,234'], EN), { operator: 'in', value: '1234' })
  assert.equal(filterValue(price, 'in', ['1.234'], { decimal: ',', group: ' ' }), undefined)
  assert.deepEqual(widgetValue({ path: 'price', operator: 'in', value: '1.5,2' }, price, DE), ['1,5', '2'])
})

test('a number of an address that cannot be kept is shown as it is written', () => {
  const opened = (value: string, type: string) => widgetValue({ path: 'n', operator: 'eq', value }, siteField('n', type), EN)
  assert.equal(opened('12', 'integer'), 12)
  assert.equal(opened('1.234', 'number'), 1.234)
  assert.equal(opened('1.50', 'decimal'), '1.50')
  for (const value of ['9007199254740993', 'abc']) {
    const shown = opened(value, 'integer')
    assert.ok(shown instanceof Unparsed && shown.text === value, value)
  }
})

test('times of a list are those of the time zone of the browser', () => {
  const former = process.env.TZ
  process.env.TZ = 'Europe/Berlin'
  try {
    const at = siteField('at', 'datetime')
    const sent = (...items: string[]) => filterValue(at, 'in', items, EN)?.value
    assert.equal(sent('2024-06-01T10:00', '2024-01-05 10:00'), '2024-06-01T10:00+02:00,2024-01-05T10:00+01:00')
    assert.equal(sent('2024-06-01'), '2024-06-01T00:00+02:00')
    assert.equal(sent('2024-06-01T10:00Z', '2024-06-01T10:00+05:00'), '2024-06-01T10:00Z,2024-06-01T10:00+05:00')
    assert.equal(sent('2024-06-01T10:00', '2024-06-31T10:00x'), undefined)
    const shown = (value: string) => widgetValue({ path: 'at', operator: 'in', value }, at, EN)
    assert.deepEqual(shown('2024-06-01T10:00+02:00,2024-06-01T10:00Z'), ['2024-06-01T10:00', '2024-06-01T12:00'])
    // The second of two equal local times keeps its offset.
    assert.deepEqual(shown('2024-10-27T02:30+01:00'), ['2024-10-27T02:30+01:00'])
    assert.deepEqual(
      faultyItems(at, ['2024-03-31 02:30'], EN).map(({ text, fault }) => [text, fault.kind]),
      [['2024-03-31 02:30', 'skippedTime']],
    )
  } finally {
    if (former === undefined) delete process.env.TZ
    else process.env.TZ = former
  }
})

test('each faulty number of a list is named with its fault', () => {
  const found = faultyItems(siteField('n', 'integer'), ['1', '1.5', '9007199254740993', '1,234', 'two'], DE)
  assert.deepEqual(
    found.map(({ text, fault }) => [text, fault.kind]),
    [
      ['1.5', 'notNumber'],
      ['9007199254740993', 'inexactNumber'],
      ['1,234', 'notNumber'],
      ['two', 'notNumber'],
    ],
  )
})
