import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { typesOf } from '../../src/openapi/typescript.ts'
import { withShop } from '../helpers/code/shop.ts'
import { documentOf } from '../openapi/documents.ts'

const INVOICE = `name: Invoice
fields:
  - { name: net, type: number, required: true, gte: 1, lte: 9 }
  - { name: gross, type: number, required: true, help_text: With VAT }
`

const HOOKS = `import { defineHooks } from 'admin-folder'
export default defineHooks('invoice', { compute: { gross: ({ net }) => net * 2 } })
`

const FORM = `name: InvoiceForm
view_type: form
model: Invoice
fields: [{ name: net, title: Net }, { name: gross, title: Gross, required: true }]
`

const FILES = { 'models/invoice.yaml': INVOICE, 'hooks/invoice.js': HOOKS }

// biome-ignore lint/suspicious/noExplicitAny: the answers of many routes
type Json = any

const withInvoices = (name: string, work: (get: (path: string) => Promise<Json>, shop: Json) => Promise<void>, form = '') =>
  test(name, () =>
    withShop(
      async (shop) => {
        const headers = { authorization: `Bearer ${await shop.app.tokenOf('admin')}` }
        const get = async (url: string) => JSON.parse((await shop.app.server.inject({ method: 'GET', url, headers })).payload)
        await work(get, shop)
      },
      form === '' ? FILES : { ...FILES, 'views/invoice.yaml': form },
    ),
  )

describe('a computed field', () => {
  withInvoices(
    'is read-only in a form of the project',
    async (get) => {
      const { data } = await get('/admin/api/v1/views/invoice/')
      const readonly = data[0].fields.map((field: Json) => [field.name, field.readonly])
      assert.deepEqual(readonly, [
        ['net', false],
        ['gross', true],
      ])
    },
    FORM,
  )

  withInvoices(
    'is read-only in the generated form, which creates records although the field is mandatory',
    async (get, { call }) => {
      const { data } = await get('/admin/api/v1/views/invoice/?generated=true')
      const form = data.find((view: Json) => view.view_type === 'form')
      assert.deepEqual([form.creation_fields, form.allowed_update_fields], [['net'], ['net']])
      assert.equal(form.fields.find((field: Json) => field.name === 'gross').readonly, true)
      const created = await call('POST', 'invoice', undefined, { data: { net: 3 }, form_id: form.name })
      assert.deepEqual([created.status, created.data.gross], [201, 6])
    },
  )

  withInvoices('is read-only in the site', async (get) => {
    const { models } = await get('/admin/api/v1/site')
    const { fields } = models.find(({ key }: Json) => key === 'invoice')
    assert.deepEqual(
      fields.map(({ name, readonly }: Json) => [name, readonly]),
      [
        ['id', true],
        ['net', false],
        ['gross', true],
      ],
    )
  })

  withInvoices(
    'is readOnly in the output of the OpenAPI document, and in no input',
    async (_, { app }) => {
      const { schemas } = documentOf(app.app.project).components as Json
      assert.deepEqual(schemas.Invoice.properties.gross, { type: 'number', description: 'With VAT', readOnly: true })
      assert.equal(schemas.Invoice.properties.net.readOnly, undefined)
      for (const input of ['Invoice.create', 'Invoice.update', 'Invoice.InvoiceForm.create', 'Invoice.InvoiceForm.update']) {
        assert.deepEqual(Object.keys(schemas[input].properties), ['net'], input)
      }
    },
    FORM,
  )

  withInvoices('is in the types of records, and in no type of an input', async (_, { app }) => {
    const types = typesOf(app.app.project)
    assert.match(types, /export interface Invoice \{\n {2}id: number\n {2}net: number\n[^}]* gross: number\n\}/)
    assert.match(types, /interface Create \{\n {4}net: number\n {2}\}/)
  })

  for (const [what, form] of [
    ['', ''],
    [' under a form that asks for it', FORM],
  ]) {
    withInvoices(
      `is left out of mock records, and computed when they are stored${what}`,
      async (_, { call, all, app }) => {
        const filled = await app.server.inject({
          ...{ method: 'POST', url: '/api/v1/mock', payload: { models: ['invoice'], count: 20, seed: 1 } },
          headers: { authorization: `Bearer ${await app.tokenOf('admin')}` },
        })
        assert.equal(filled.statusCode, 201, filled.payload)
        const stored = await all('invoice')
        assert.equal(stored.length, 20)
        for (const { net, gross } of stored) assert.equal(gross, net * 2)
        const [mock] = (await call('GET', 'invoice/mock?count=1')).data
        assert.equal(typeof mock.gross, 'number')
      },
      form,
    )
  }
})
