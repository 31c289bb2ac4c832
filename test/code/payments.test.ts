import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { openTestApp } from '../helpers/api/app.ts'

test('the clinic takes payments that are signed, once each', async (t) => {
  const key = 'key of the provider'
  process.env.CLINIC_PAYMENT_KEY = key
  t.after(() => delete process.env.CLINIC_PAYMENT_KEY)
  await using app = await openTestApp({ fixture: 'clinic' })
  const { records } = await app.app.store.find('invoice', {
    filters: [{ field: 'status', operator: 'eq', value: 'sent' }],
    ...{ sort: [], offset: 0, limit: 1 },
  })
  const [invoice] = records
  assert.ok(invoice)
  const body = JSON.stringify({ invoice: invoice.number, paid_on: '2026-01-15' })
  const sign = (text: string, secret = key) => createHmac('sha256', secret).update(text).digest('hex')
  const send = async (payload: string, signature?: string) => {
    const headers = { 'content-type': 'application/json', ...(signature === undefined ? {} : { 'x-signature': signature }) }
    return (await app.server.inject({ method: 'POST', url: '/api/v1/ext/payments', payload, headers })).statusCode
  }
  const stored = async () => (await app.app.store.get('invoice', [invoice.id]))[0]
  assert.deepEqual([await send(body), await send(body, 'ff'), await send(body, sign(body, 'other'))], [403, 403, 403])
  assert.equal(await send(`${body} `, sign(body)), 403)
  assert.equal((await stored())?.status, 'sent')
  assert.equal(await send(body, sign(body)), 204)
  assert.deepEqual([(await stored())?.status, (await stored())?.paid_on], ['paid', '2026-01-15'])
  assert.equal(await send(body, sign(body)), 204)
  const unknown = JSON.stringify({ invoice: '1999-0001', paid_on: '2026-01-15' })
  assert.equal(await send(unknown, sign(unknown)), 404)
  process.env.CLINIC_PAYMENT_KEY = ''
  assert.equal(await send(body, sign(body, '')), 403)
})
