import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fullProjection, parseProjection, type RecordProjection } from '../../src/query/project.ts'
import { faultsIn, parametersOf, post, registry } from './queries.ts'

/** `title`, `author(id username)`: a projection in short. */
const short = (projection: RecordProjection): string[] =>
  projection.map((column) => (column.kind !== 'related' ? column.name : `${column.name}(${column.fields.join(' ')})`))

function parse(query: string): { columns: string[]; faults: object } {
  const parameters = parametersOf(query, 'fields', 'include')
  return { columns: short(parseProjection(parameters, post, registry, parameters.names('fields'))), faults: faultsIn(parameters) }
}

const USER = 'author(id username email first_name last_name is_active is_superuser last_login created_at updated_at)'
const OWN = ['id', 'title', 'body', 'status', 'rating', 'views', 'featured', 'day', 'hour', 'published_at', 'languages', 'meta']
const ALL = [...OWN, 'author_id', USER, 'tags(id name)', 'created_at', 'updated_at']

describe('columns', () => {
  const rows: readonly (readonly [string, string[]])[] = [
    ['', ALL],
    ['fields=title', ['id', 'title']],
    ['fields=title,body', ['id', 'title', 'body']],
    ['fields=body,title', ['id', 'body', 'title']],
    ['fields=id', ['id']],
    ['fields=title,title', ['id', 'title']],
    ['fields=title, body', ['id', 'title', 'body']],
    ['fields=author', ['id', USER]],
    ['fields=author_id', ['id', 'author_id']],
    ['fields=tags', ['id', 'tags(id name)']],
    ['fields=title,author&include=author__username', ['id', 'title', 'author(id username)']],
    ['fields=author&include=author__username,author__email', ['id', 'author(id username email)']],
    ['fields=author&include=author__id', ['id', 'author(id)']],
    ['fields=tags&include=tags__slug', ['id', 'tags(id name slug)']],
    ['fields=tags&include=tags__name', ['id', 'tags(id name)']],
    ['fields=tags&include=tags__parent_id', ['id', 'tags(id name parent_id)']],
    ['fields=title&include=author__username', ['id', 'title', 'author(id username)']],
    ['include=author__username', ALL.with(ALL.indexOf(USER), 'author(id username)')],
    ['include=tags__slug', ALL.with(ALL.indexOf('tags(id name)'), 'tags(id name slug)')],
  ]
  for (const [query, columns] of rows) test(query || '(nothing)', () => assert.deepEqual(parse(query), { columns, faults: {} }))

  test('no secret is in a full projection, neither its own nor a related one', () => {
    const text = short(fullProjection(post, registry)).join(' ')
    assert.doesNotMatch(text, /secret|password/)
  })

  test('a self-reference is nested one level', () =>
    assert.deepEqual(short(fullProjection(registry.expect('tag'), registry)), [
      'id',
      'name',
      'slug',
      'parent_id',
      'parent(id name slug parent_id)',
    ]))
})

describe('error messages', () => {
  const relations = '(relations: author, tags)'
  const rows: readonly (readonly [string, Readonly<Record<string, readonly string[]>>])[] = [
    ['fields=titel', { fields: ["Unknown field 'titel'; did you mean 'title'?"] }],
    ['fields=titel,weather', { fields: ["Unknown field 'titel'; did you mean 'title'?", "Unknown field 'weather'"] }],
    ['fields=secret', { fields: ["Unknown field 'secret'"] }],
    ['fields=__proto__', { fields: ["Unknown field '__proto__'"] }],
    ['fields=constructor', { fields: ["Unknown field 'constructor'"] }],
    ['fields=authr', { fields: ["Unknown field 'authr'; did you mean 'author'?"] }],
    ['fields=', { fields: ["'fields' holds an empty name; write names with commas between them"] }],
    ['include=', { include: ["'include' holds an empty name; write names with commas between them"] }],
    ['include=author', { include: [`'author' must be written <relation>__<field> ${relations}`] }],
    ['include=author__', { include: [`'author__' must be written <relation>__<field> ${relations}`] }],
    ['include=author__groups__name', { include: [`'author__groups__name' must be written <relation>__<field> ${relations}`] }],
    [
      'include=authr__username',
      { include: [`'authr__username' must be written <relation>__<field>; did you mean 'author'? ${relations}`] },
    ],
    ['include=title__x', { include: [`'title__x' must be written <relation>__<field> ${relations}`] }],
    ['include=author__usernme', { include: ["Unknown field 'usernme'; did you mean 'username'?"] }],
    ['include=author__groups', { include: ["'author__groups' goes further than one relation"] }],
    ['include=tags__parent', { include: ["Unknown field 'parent'; did you mean 'parent_id'?"] }],
    ['include=author__password', { include: ["Unknown field 'password'"] }],
    ['include=__proto____x', { include: [`'__proto____x' must be written <relation>__<field> ${relations}`] }],
  ]
  for (const [query, faults] of rows) test(query, () => assert.deepEqual(parse(query).faults, faults))
})
