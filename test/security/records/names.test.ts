import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TestApp } from '../../helpers/api/app.ts'
import { play } from '../../helpers/api/scenario.ts'
import { withApp } from '../access.ts'

/** Names that every JavaScript object has already, and one that makes another object of it. */
const NAMES = ['__proto__', 'constructor', 'toString', 'prototype', 'hasOwnProperty', 'isPrototypeOf'] as const

const hex = (character: string) => character.charCodeAt(0).toString(16).padStart(2, '0')
const percent = (character: string) => `%${hex(character)}`

/** A name in every spelling that a path or a query is decoded from. */
const inUrls = (name: string): string[] => [
  name,
  [...name].map(percent).join(''),
  [...name].map((each) => percent(each).toUpperCase()).join(''),
  [...name].map((each, index) => (index % 2 === 0 ? percent(each) : each)).join(''),
  `${percent(name[0] ?? '')}${name.slice(1)}`,
  // Decoded twice it would be the name.
  [...name].map((each) => `%25${hex(each)}`).join(''),
]

/** A name in every spelling that JSON decodes. */
const inJson = (name: string): string[] => [
  name,
  [...name].map((each) => `\\u00${hex(each)}`).join(''),
  [...name].map((each) => `\\u00${hex(each).toUpperCase()}`).join(''),
  `\\u00${hex(name[0] ?? '')}${name.slice(1)}`,
]

interface Probe {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  readonly payload?: string
  readonly type?: string
}

const gets = (...urls: readonly string[]): Probe[] => urls.map((url) => ({ method: 'GET', url }))
const sends = (method: 'POST' | 'PUT' | 'DELETE', url: string, ...payloads: readonly string[]): Probe[] =>
  payloads.map((payload) => ({ method, url, payload }))

const MODELS = '/api/v1/models'
const TAGS = `${MODELS}/tag`

const asModel = (name: string): Probe[] => [
  ...gets(`${MODELS}/${name}`, `${MODELS}/${name}/`, `${MODELS}/${name}/1`, `/admin/api/v1/views/${name}/`, `/${name}`),
  ...gets(`${TAGS}/${name}`, `${TAGS}/1/${name}`),
  { method: 'DELETE', url: `${MODELS}/${name}/1` },
  { method: 'DELETE', url: `${TAGS}/${name}` },
  ...sends('POST', `${MODELS}/${name}`, '{"data": {}}'),
  ...sends('POST', `${MODELS}/${name}/bulk`, '{"records": [{}]}'),
  ...sends('PUT', `${MODELS}/${name}/1`, '{"data": {}}'),
  ...sends('PUT', `${MODELS}/${name}/bulk`, '{"updates": [{"id": 1, "data": {}}]}'),
  ...sends('DELETE', `${MODELS}/${name}/bulk`, '{"ids": [1]}'),
]

const inQueries = (name: string): Probe[] =>
  [
    `fields=${name}`,
    `fields=title,${name}`,
    `filters=${name}=x`,
    `filters=${name}%3Dx`,
    `filters=${name}__icontains=x`,
    `filters=title__${name}=x`,
    `filters=author__${name}=x`,
    `filters=${name}__username=x`,
    `sort_by=${name}`,
    `sort_by=title&sort_order=${name}`,
    `include=${name}__username`,
    `include=author__${name}`,
    `page=${name}`,
    `${name}=x`,
    `${name}=x&${name}=y`,
    `${name}[polluted]=true`,
    `${name}%5Bpolluted%5D=true`,
    `${name}%5bpolluted%5d=true`,
    `filters[${name}]=x`,
    `filters[${name}][polluted]=true`,
    `filters%5B${name}%5D=x`,
    `fields[]=${name}`,
    `constructor[${name}][polluted]=true`,
    `__proto__.${name}.polluted=true`,
  ].flatMap((query) => gets(`${MODELS}/post?${query}`, `${MODELS}/post/1?${query}`))

const asKey = (name: string): Probe[] => {
  const polluted = `"${name}": {"polluted": true}`
  return [
    ...sends('POST', TAGS, `{"data": {"name": "Knots", "slug": "knots", ${polluted}}}`, `{${polluted}}`),
    ...sends('POST', TAGS, `{"data": {"name": "Knots", "slug": "knots", "${name}": 1}, "form_id": "TagForm"}`),
    ...sends('POST', TAGS, `{"data": {"name": "Knots", "slug": "knots"}, ${polluted}}`),
    ...sends('POST', TAGS, `{"data": {"name": "Knots", "slug": "knots"}, "form_id": "${name}"}`),
    ...sends('POST', `${TAGS}/bulk`, `{"records": [{"name": "Knots", "slug": "knots", ${polluted}}]}`, `{${polluted}}`),
    ...sends('PUT', `${TAGS}/1`, `{"data": {${polluted}}}`, `{"data": {${polluted}}, "form_id": "TagForm"}`),
    ...sends('PUT', `${TAGS}/bulk`, `{"updates": [{"id": 1, "data": {${polluted}}}]}`),
    ...sends('PUT', `${TAGS}/bulk`, `{"updates": [{"id": 1, "data": {"name": "Knots"}, ${polluted}}]}`),
    ...sends('DELETE', `${TAGS}/bulk`, `{"ids": [1], ${polluted}}`, `{${polluted}}`),
    ...sends('PUT', `${MODELS}/post/1`, `{"data": {"tags": [{"${name}": 1}]}}`, `{"data": {"author_id": {"${name}": 1}}}`),
    ...sends('POST', '/api/v1/auth/token', `{${polluted}}`, `{"username": {${polluted}}, "password": {${polluted}}}`),
    ...sends('POST', '/api/v1/auth/refresh', `{${polluted}}`),
  ]
}

const asForm = (name: string): Probe[] =>
  [`${name}=x`, `${name}[polluted]=true`, `username[${name}]=x&password=x`, `${name}[username]=admin&${name}[password]=x`].map(
    (payload) => ({ method: 'POST', url: '/api/v1/auth/token', payload, type: 'application/x-www-form-urlencoded' }),
  )

const PLACES: Readonly<Record<string, (name: string) => Probe[]>> = {
  'as a model or a record, in every spelling': (name) => inUrls(name).flatMap(asModel),
  'in a query, in every spelling': (name) => inUrls(name).flatMap(inQueries),
  'as a key of a JSON body, in every spelling': (name) => inJson(name).flatMap(asKey),
  'as a key of a form, in every spelling': (name) => inUrls(name).flatMap(asForm),
}

const isPolluted = () => Reflect.get({}, 'polluted') !== undefined || Reflect.get([], 'polluted') !== undefined

async function sendAs(app: TestApp, token: string, { method, url, payload, type = 'application/json' }: Probe) {
  const headers = { authorization: `Bearer ${token}`, ...(payload === undefined ? {} : { 'content-type': type }) }
  return app.server.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) })
}

describe('a name that JavaScript has a use for', () => {
  for (const [place, probes] of Object.entries(PLACES)) {
    test(place, () =>
      withApp(async (app) => {
        const token = await app.tokenOf('admin')
        const before = await play(app, { request: 'GET /api/v1/models/tag?page_size=100', status: 200 })
        for (const probe of NAMES.flatMap(probes)) {
          const { statusCode, payload } = await sendAs(app, token, probe)
          const shown = `${probe.method} ${probe.url} ${probe.payload ?? ''} answered ${statusCode}: ${payload}`
          assert.ok(statusCode === 400 || statusCode === 404, shown)
          assert.equal(isPolluted(), false, shown)
        }
        const after = await play(app, { request: 'GET /api/v1/models/tag?page_size=100', status: 200 })
        assert.deepEqual(after.json, before.json)
      }),
    )
  }
})
