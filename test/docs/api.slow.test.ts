import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SCAFFOLD } from '../../src/cli/commands/init.ts'
import { FIELD_TYPES } from '../../src/model/fields.ts'
import { documentOf, projectOf } from '../openapi/documents.ts'
import { readDocument, runDocument } from './document.ts'
import { codesIn, rowsOf } from './markdown.ts'

runDocument('api.md')

const rows = rowsOf(readDocument('api.md'))

const TEXT = ['string', 'text', 'email', 'url', 'slug', 'choice']
const TYPES: Readonly<Record<string, readonly string[]>> = {
  'every type but `json`, files and `password`': Object.keys(FIELD_TYPES).filter(
    (name) => !['json', 'file', 'image', 'password'].includes(name),
  ),
  'every type but `password`': Object.keys(FIELD_TYPES).filter((name) => name !== 'password'),
  'text and `choice`': TEXT,
  'text, `choice`, numbers, times, foreign keys': [
    ...TEXT,
    ...['decimal', 'integer', 'number', 'date', 'time', 'datetime', 'foreignkey', 'one_to_one'],
  ],
}

test('the table lists every filter operator with its field types', () => {
  const types = Object.values(FIELD_TYPES)
  const documented = new Map<string, readonly string[] | undefined>()
  let above: readonly string[] | undefined
  for (const [cell = '', , what = ''] of rows) {
    const operator = cell === 'none' ? 'eq' : /^`__(\w+)`$/.exec(cell)?.[1]
    if (operator === undefined) continue
    above = what === 'the same' ? above : TYPES[what]
    documented.set(operator, above)
  }
  assert.deepEqual(new Set(documented.keys()), new Set(types.flatMap(({ operators }) => operators)))
  for (const [operator, names] of documented) {
    const those = types.filter(({ operators }) => operators.some((each) => each === operator)).map(({ name }) => name)
    assert.deepEqual([...(names ?? [])].sort(), those.sort(), operator)
  }
})

const MODEL = /\/(models|views)\/(article|user|group|permission|savedview)\b/

test('the table lists exactly the endpoints of the OpenAPI document', async () => {
  const { paths = {} } = documentOf(await projectOf(SCAFFOLD))
  const described = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations ?? {})
      .filter((method) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
      .map((method) => `${method.toUpperCase()} ${path.replace(MODEL, '/$1/{model}').replace('{record_id}', '{id}')}`),
  )
  const documented = rows.flatMap(([cell = '']) => {
    const [first = '', ...further] = codesIn(cell)
    // "`PUT` or `PATCH /path`" names two operations.
    if (first === 'PUT') return further.flatMap((line) => [line, line.replace('PATCH', 'PUT')])
    return /^(GET|POST|DELETE) /.test(first) ? [first, ...further] : []
  })
  const pages = ['GET /admin', 'GET /docs', 'GET /api/v1/openapi.json']
  // The document has those of each action, and this project has none.
  const actions = ['{id}/actions/{action}', 'actions/{action}'].map((path) => `POST /api/v1/models/{model}/${path}`)
  // It has no jobs either.
  const jobs = ['GET /api/v1/jobs', 'POST /api/v1/jobs/{id}/retry', 'POST /api/v1/jobs/{name}/run']
  // Nor has it files.
  const files = [
    ...['POST {model}/{field}', 'GET uploads/{id}', 'DELETE uploads/{id}', 'GET {model}/{id}/{field}/{file}', 'POST links'],
  ].map((route) => route.replace(' ', ' /api/v1/files/'))
  // Nor has it the setting `mcp`.
  const agents = ['POST /mcp']
  assert.deepEqual(
    documented.map((line) => line.replace(/(.)\/$/, '$1')).sort(),
    [...new Set([...described, ...pages, ...actions, ...jobs, ...files, ...agents])].sort(),
  )
})
