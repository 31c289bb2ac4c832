import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type AdminError, createClient } from '../../src/client/client.ts'
import { apiDocument } from '../../src/http/api.ts'
import { endpointsBy } from '../../src/openapi/endpoint-types.ts'
import { describedBy, typesOf, typesOfModels } from '../../src/openapi/typescript.ts'
import { openEndpoints } from '../helpers/code/endpoints.ts'
import { typeCheck } from '../helpers/types/type-check.ts'

const SHOP = `[
  defineEndpoint({
    method: 'GET', path: '/stock/{name}/{shelf}', summary: 'The stock */ of a product',
    input: [{ name: 'name', type: 'string', required: true }, { name: 'tags', type: 'multichoice', choices: ['a', 'b'] }],
    output: [{ name: 'stock', type: 'integer', required: true }, { name: 'note', type: 'text' }],
    run: ({ input, params }) => ({ stock: 1, note: JSON.stringify([input, params]) }),
  }),
  defineEndpoint({ method: 'POST', path: '/sell/{id}', input: [{ name: 'id', type: 'integer', required: true }, { name: 'count', type: 'integer', required: true }], run: ({ input }) => input }),
  defineEndpoint({ method: 'PUT', path: '/idle', run: () => {} }),
  defineEndpoint({ method: 'DELETE', path: '/idle', input: [{ name: 'why', type: 'string' }], run: ({ input }) => input.why }),
  defineEndpoint({ method: 'POST', path: '/paid', access: 'public', body: 'raw', run: () => {} }),
]`

const USE = `import { createClient } from 'admin-folder/client'
import type { All_Endpoints, All_Models } from './admin.ts'
const client = createClient<All_Models, All_Endpoints>({ url: '' })
export const stock: Promise<{ stock: number; note: string | null }> = client.ext.get('/stock/{name}/{shelf}', { name: 'Pen', shelf: 'x', tags: ['a'] })
export const sold: Promise<unknown> = client.ext.post('/sell/{id}', { id: 1, count: 2 })
export const idle = [client.ext.put('/idle'), client.ext.delete('/idle'), client.ext.delete('/idle', { why: 'x' })]
// @ts-expect-error there is no such endpoint
client.ext.get('/sell/{id}', { id: 1 })
// @ts-expect-error the parameter of the path is missing
client.ext.get('/stock/{name}/{shelf}', { name: 'Pen' })
// @ts-expect-error it is no text
client.ext.post('/sell/{id}', { id: 1, count: 'two' })
// @ts-expect-error there is no input
client.ext.post('/sell/{id}')
// @ts-expect-error other programs send its bytes
client.ext.post('/paid')
`

describe('endpoints of the client', () => {
  test('fill the path, send query or body, and return the JSON or nothing', async () => {
    await using shop = await openEndpoints(SHOP, { settings: { port: 0 } })
    const port = await shop.app.live.start()
    const client = createClient({ url: `http://127.0.0.1:${port}`, token: await shop.app.tokenOf('ann') })
    const { note } = (await client.ext.get('/stock/{name}/{shelf}', { name: 'a/b?', shelf: 'ä', tags: ['a', 'b'] })) as {
      note: string
    }
    assert.deepEqual(JSON.parse(note), [
      { name: 'a/b?', tags: ['a', 'b'] },
      { name: 'a/b?', shelf: 'ä' },
    ])
    assert.deepEqual(await client.ext.post('/sell/{id}', { id: 3, count: 2 }), { id: 3, count: 2 })
    assert.equal(await client.ext.put('/idle'), undefined)
    assert.equal(await client.ext.delete('/idle', { why: 'old' }), 'old')
    await assert.rejects(
      client.ext.post('/sell/{id}', { id: 3, count: 'two' }),
      ({ type, fieldErrors }: AdminError) => type === 'validation' && 'count' in fieldErrors,
    )
    await assert.rejects(client.ext.post('/sell/{id}'), { message: "The path /sell/{id} needs 'id' in the input" })
  })

  test('have the types that the project and its document give', async () => {
    await using shop = await openEndpoints(SHOP)
    const { project } = shop.app.app
    const types = typesOf(project)
    assert.equal(await typeCheck({ 'admin.ts': types, 'use.ts': USE }), '')
    const document = JSON.parse(JSON.stringify(apiDocument(project)))
    assert.equal(typesOfModels(describedBy(document), endpointsBy(document)), types)
  })
})
