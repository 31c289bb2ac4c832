import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { resolved } from '../../src/openapi/components.ts'
import type { OpenApiDocument, ParameterObject } from '../../src/openapi/operation.ts'
import { openTestApp, type TestApp } from '../helpers/api/app.ts'
import { send } from '../helpers/api/scenario.ts'
import { documentOf } from '../openapi/documents.ts'

describe('the query parameters of each GET are those that the OpenAPI document declares', () => {
  let app: TestApp
  let document: OpenApiDocument
  before(async () => {
    app = await openTestApp({ fixture: 'blog', settings: { rate_limits: { default: 0, auth: 0, upload: 0 } } })
    document = documentOf(app.app.project)
  })
  after(() => app.close())

  /** Each GET, with the names of its parameters and a path of it. */
  const gets = () =>
    Object.entries(document.paths).flatMap(([template, { get }]) => {
      if (get === undefined) return []
      const parameters = (get.parameters ?? []).map((each) => resolved<ParameterObject>(document.components, each))
      const names = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
      return [{ path: template.replace('{model}', 'tag').replace(/\{\w+\}/g, '1'), names }]
    })

  test('another one is refused by its name', async () => {
    for (const { path } of gets()) {
      // Providers of identities add parameters of their own (RFC 6749, section 4.1.2).
      if (path.endsWith('/callback')) continue
      const { status, text } = await send(app, { request: `GET /${path.slice(1)}?unheard_of=1` })
      assert.equal(status, 400, `${path}: ${text}`)
      assert.match(text, /unheard_of/, path)
    }
  })

  test('none of them is unknown', async () => {
    for (const { path, names } of gets()) {
      for (const name of names) {
        const { text } = await send(app, { request: `GET /${path.slice(1)}?${name}=no%20such%20value` })
        assert.doesNotMatch(text, /Unknown query parameter/, `${path}?${name}`)
      }
    }
  })
})
