import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestApp } from '../helpers/api/app.ts'

/** A request of reception to the clinic; the answer's status and body. */
type Send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, data?: object) => Promise<readonly [number, Answer]>

// biome-ignore lint/suspicious/noExplicitAny: the answers of several routes
type Answer = any

async function inClinic(work: (send: Send) => Promise<void>): Promise<void> {
  await using app = await openTestApp({ fixture: 'clinic' })
  const authorization = `Bearer ${await app.tokenOf('g.adeyemi')}`
  await work(async (method, path, data) => {
    const { statusCode, payload } = await app.server.inject({
      ...{ method, url: `/api/v1/models/${path}`, headers: { authorization } },
      ...(data === undefined ? {} : { payload: { data } }),
    })
    return [statusCode, JSON.parse(payload)]
  })
}

describe('hooks of fixtures/clinic', () => {
  test('a slot of a doctor is booked once, also at the same time, until it is cancelled', () =>
    inClinic(async (send) => {
      const booking = { doctor_id: 7, starts_at: '2026-12-18T16:30:00Z', reason: 'Sprained ankle' }
      const answers = await Promise.all([1, 2, 3].map((patient_id) => send('POST', 'appointment', { ...booking, patient_id })))
      assert.deepEqual(answers.map(([status]) => status).sort(), [201, 400, 400])
      const refused = answers.find(([status]) => status === 400)?.[1]
      assert.deepEqual(refused, { detail: { error: { slot: ['slot must be unique'] } } })
      const [, booked] = answers.find(([status]) => status === 201) ?? assert.fail('no booking was stored')
      const { id } = booked.data
      assert.equal((await send('PUT', `appointment/${id}`, { status: 'cancelled' }))[0], 200)
      assert.equal((await send('POST', 'appointment', { ...booking, patient_id: 4 }))[0], 201)
    }))

  test('the amounts of an invoice follow its lines', () =>
    inClinic(async (send) => {
      const amounts = async () => {
        const [, { data }] = await send('GET', 'invoice/80')
        return [data.net_amount, data.vat_amount, data.total_amount]
      }
      assert.deepEqual(await amounts(), ['154.1', '0', '154.1'])
      const line = {
        invoice_id: 80,
        code: 'CE01',
        description: 'Certificate',
        unit_price: '10.10',
        vat_rate: 23,
        net_amount: '10.10',
      }
      const [status, created] = await send('POST', 'invoiceline', { ...line, position: 3 })
      assert.equal(status, 201, JSON.stringify(created))
      assert.deepEqual(await amounts(), ['164.2', '2.32', '166.52'])
      const { id } = created.data
      assert.equal((await send('PUT', `invoiceline/${id}`, { net_amount: '20' }))[0], 200)
      assert.deepEqual(await amounts(), ['174.1', '4.6', '178.7'])
      assert.equal((await send('DELETE', `invoiceline/${id}`))[0], 200)
      assert.deepEqual(await amounts(), ['154.1', '0', '154.1'])
      assert.equal((await send('DELETE', 'invoice/80'))[0], 200)
    }))
})
