import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { SettingsInput } from '../../src/config/settings.ts'
import { openTestApp } from '../helpers/api/app.ts'
import { documentOf, fixture, projectOf } from './documents.ts'

const STRICTER: SettingsInput = {
  base_path: '/backend',
  admin_path: '',
  api_version: '2',
  views_auth: 'required',
  validation_status: 422,
  metrics: 'off',
  rate_limits: { default: 0, auth: 0, upload: 0 },
}

/** Names that are hard to turn into identifiers and patterns. */
const ODD = {
  'models/list.yaml': `name: Views
fields:
  - { name: constructor_of, type: string, required: true, pattern: '(?i)^\\pL+$', max_length: 5 }
  - { name: self_id, type: one_to_one, model: views }
  - { name: others, type: many_to_many, model: views, required: true }`,
  'views/views.yaml': `
- { name: A form!, view_type: form, model: Views, fields: [{ name: constructor_of, options: { max_length: 9, min_length: 2 } }] }
- { name: A form?, view_type: form, model: Views, fields: [], creation_fields: [], allowed_update_fields: [] }`,
}

/** Endpoints with every kind of input and answer, and paths whose operations would have equal names. */
const ENDPOINTS = {
  'endpoints/all.ts': `import { defineEndpoint } from 'admin-folder'
const input = [{ name: 'id', type: 'integer', required: true }, { name: 'tags', type: 'multichoice', choices: ['a', 'b'] }] as const
const run = () => undefined
export default [
  defineEndpoint({ method: 'GET', path: '/orders/{id}', input, output: [{ name: 'total', type: 'decimal', required: true }], run }),
  defineEndpoint({ method: 'PUT', path: '/orders/{id}', input, access: { group: 'Cashiers' }, run }),
  defineEndpoint({ method: 'DELETE', path: '/orders', input, access: 'superuser', run }),
  defineEndpoint({ method: 'POST', path: '/paid-orders', access: 'public', body: 'raw', limit: 'upload', run }),
  defineEndpoint({ method: 'POST', path: '/paid/orders', access: 'public', input, run }),
]`,
}

const PROJECTS = {
  blog: () => fixture('blog'),
  minimal: () => fixture('minimal'),
  'clinic, which has actions, endpoints and jobs': () => fixture('clinic'),
  'blog with other settings': () => fixture('blog', STRICTER),
  'a project of odd names': () => projectOf(ODD),
  'a project with endpoints': () => projectOf(ENDPOINTS),
}

/** The parts of a document that the tests read. */
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly parameters?: readonly Parameter[] }>>>>
  readonly components: { readonly parameters?: Readonly<Record<string, Parameter>> }
}

interface Parameter {
  readonly name?: string
  readonly in?: string
  readonly style?: string
  readonly explode?: boolean
  readonly schema?: { readonly type?: unknown }
}

describe('an OpenAPI document', () => {
  for (const [name, load] of Object.entries(PROJECTS)) {
    test(`of ${name} is one, in the eyes of a strict validator`, async () => {
      const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(documentOf(await load()))))
      assert.deepEqual([valid, errors], [true, undefined])
    })

    test(`of ${name} passes a linter`, async () => {
      // `identifier` of OpenAPI 3.1 takes the place of the URL.
      const rules = { 'info-license-url': 'off' } as const
      const config = await createConfig({ extends: ['recommended-strict'], rules })
      const problems = await lintFromString({ source: JSON.stringify(documentOf(await load())), config })
      assert.deepEqual(
        problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`),
        [],
      )
    })
  }

  test('describes its operations as the rules of spectral:oas ask: contact, tags, and descriptions that say more than the summary', async () => {
    for (const load of Object.values(PROJECTS)) {
      const { info, paths, tags } = documentOf(await load())
      assert.ok(info.contact.name !== '' && info.license.identifier !== '' && info.description !== '')
      const known = new Set(tags.map(({ name }) => name))
      const operations = Object.values(paths).flatMap((item) => Object.values(item))
      for (const { operationId, description, summary, tags: own } of operations) {
        assert.ok(description.length > 10 && description !== summary, operationId)
        assert.ok(own.length === 1 && own.every((tag) => known.has(tag)), operationId)
      }
      assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length)
    }
  })

  test('describes every array parameter as one that may be repeated', async () => {
    const { paths, components } = documentOf(await fixture('blog')) as unknown as Document
    const all = [...Object.values(paths).flatMap(Object.values), { parameters: Object.values(components.parameters ?? {}) }]
    const arrays = all
      .flatMap(({ parameters = [] }) => parameters)
      .filter(({ in: place, schema }) => place === 'query' && schema?.type === 'array')
    for (const { name, style, explode } of arrays) assert.deepEqual([style, explode], ['form', true], name)
    const names = new Set(arrays.map(({ name }) => name))
    for (const name of ['fields', 'include', 'sort_by', 'sort_order', 'filters']) assert.ok(names.has(name), name)
  })

  test('is the same text each time', async () => {
    const [one, other] = [await fixture('blog'), await fixture('blog')]
    assert.equal(JSON.stringify(documentOf(one)), JSON.stringify(documentOf(other)))
  })

  test('has every route of the server, and nothing else', async () => {
    await using app = await openTestApp({ fixture: 'minimal' })
    const { paths } = documentOf(app.app.project)
    const told = Object.entries(paths).flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`))
    const routed = app.server
      .table()
      .map(({ method, path }) => `${method} ${path}`)
      // The redirect, the page, its files, what hapi answers by itself, and the actions that this project does not have.
      .filter((route) => route !== 'get /' && !route.includes(' /docs') && !/^(options|head)|\/\{p|\/actions\/\{/.test(route))
    const models = app.app.project.registry.public.map(({ key }) => key)
    const everyRoute = routed.flatMap((route) =>
      route.includes('/models/{model}') ? models.map((key) => route.replace('{model}', key)) : [route],
    )
    assert.deepEqual(told.sort(), everyRoute.sort())
  })
})

describe('content of a document', () => {
  test('of the blog has at most 480 kB, since operations share parameters, bodies and responses', async () => {
    const document = documentOf(await fixture('blog'))
    assert.ok(JSON.stringify(document).length <= 480_000, `${JSON.stringify(document).length} characters`)
    const { parameters, requestBodies, responses } = document.components
    for (const name of ['page', 'dry_run', 'Post.filters']) assert.ok(parameters[name] !== undefined, name)
    assert.deepEqual(
      [requestBodies['Post.update']?.required, responses['Post.update']?.headers?.ETag !== undefined],
      [true, true],
    )
    for (const path of ['/api/v1/models/post', '/api/v1/models/tag']) {
      const [page] = document.paths[path]?.get?.parameters ?? []
      assert.deepEqual(page, { $ref: '#/components/parameters/page' })
    }
  })

  test('has each value of an enum once, null too', async () => {
    for (const load of Object.values(PROJECTS)) {
      JSON.stringify(documentOf(await load()), (key, value) => {
        if (key === 'enum') assert.equal(new Set(value).size, value.length, JSON.stringify(value))
        return value
      })
    }
  })

  test('has a 404 for a record that is not there, but no update and no bulk operation has one', async () => {
    const { paths } = documentOf(await fixture('blog'))
    const has404 = (path: string, method: 'get' | 'put' | 'delete') => '404' in (paths[path]?.[method]?.responses ?? {})
    const one = '/api/v1/models/tag/{record_id}'
    const bulk = '/api/v1/models/tag/bulk'
    assert.deepEqual([has404(one, 'get'), has404(one, 'delete'), has404(one, 'put')], [true, true, false])
    assert.deepEqual([has404(bulk, 'delete'), has404(bulk, 'put')], [false, false])
  })

  test('of a record: all that is answered, no secret', async () => {
    const { User, Post } = documentOf(await fixture('blog')).components.schemas
    assert.equal(User?.properties?.password, undefined)
    assert.deepEqual(Post?.properties?.author, { $ref: '#/components/schemas/User.nested' })
    assert.deepEqual(Post?.properties?.category, { anyOf: [{ $ref: '#/components/schemas/Category.nested' }, { type: 'null' }] })
    assert.deepEqual(Post?.required, Object.keys(Post?.properties ?? {}))
  })

  test('of input under a form: its lists, its bounds within those of the model', async () => {
    const { schemas } = documentOf(await fixture('blog')).components
    const create = schemas['User.UserCreateForm.create']
    assert.deepEqual(Object.keys(create?.properties ?? {}), [
      ...['username', 'email', 'password', 'first_name', 'last_name', 'bio', 'website'],
    ])
    assert.deepEqual(create?.required, ['username', 'email', 'password'])
    assert.equal(create?.additionalProperties, false)
    assert.equal(create?.properties?.password?.minLength, 10)
    const update = schemas['User.UserCreateForm.update']
    assert.deepEqual(update?.required, undefined)
    assert.ok(update?.properties?.birth_date !== undefined, 'birth_date may be changed')
    assert.equal(update?.properties?.username, undefined)
    assert.equal(schemas['Post.PostForm.create']?.properties?.title?.maxLength, 120)
    assert.deepEqual(schemas['Post.create']?.properties?.status, {
      type: ['string', 'null'],
      enum: ['draft', 'published', 'archived', null],
      'x-enum-descriptions': ['Draft', 'Published', 'Archived'],
      description: '"draft" when it is left out',
    })
  })

  test('of help texts: what they explain, in requests and responses', async () => {
    const { schemas } = documentOf(await fixture('blog')).components
    assert.equal(schemas.Category?.properties?.position?.description, 'Lower numbers come first in the menu')
    assert.equal(
      schemas['Category.create']?.properties?.position?.description,
      'Lower numbers come first in the menu; 0 when it is left out',
    )
    const slug = schemas['Post.update']?.properties?.slug
    assert.equal(slug?.description, 'The last part of the address. No two records have the same')
  })

  test('of unusual names: similar form names stay distinct, RE2-only patterns are omitted', async () => {
    const { components, paths } = documentOf(await projectOf(ODD))
    const forms = Object.keys(components.schemas).filter((name) => name.includes('form_'))
    assert.deepEqual(forms, [
      ...['Views.A_form_.create', 'Views.A_form_.update', 'Views.A_form__2.create', 'Views.A_form__2.update'],
    ])
    const input = components.schemas['Views.A_form_.create']?.properties?.constructor_of
    assert.deepEqual(input, { type: 'string', minLength: 2, maxLength: 5 })
    assert.equal(paths['/api/v1/models/views']?.get?.operationId, 'listViews')
    assert.equal(components.schemas['Views.create']?.properties?.others?.minItems, 1)
  })

  test('of the settings: paths, access to views, shape of validation errors, rate limits', async () => {
    const [usual, stricter] = [documentOf(await fixture('blog')), documentOf(await fixture('blog', STRICTER))]
    assert.deepEqual(stricter.servers, [{ url: '/backend' }])
    const create = stricter.paths['/api/2/models/tag']?.post
    assert.deepEqual(Object.keys(create?.responses ?? {}), [...['200', '201', '400', '401', '403', '409', '422', 'default']])
    assert.ok(usual.paths['/api/v1/models/tag']?.post?.responses['429'] !== undefined, 'requests are limited by default')
    assert.equal(usual.paths['/api/v1/models/tag']?.post?.responses['422'], undefined)
    assert.equal(stricter.paths['/metrics'], undefined)
    assert.equal(stricter.paths['/api/2/views']?.get?.security, undefined)
    assert.deepEqual(usual.paths['/admin/api/v1/views']?.get?.security, [{}, { bearer: [] }])
  })
})
