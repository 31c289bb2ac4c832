import assert from 'node:assert/strict'
import { type Scenario, scenarios } from '../helpers/api/scenario.ts'

const MODELS = '/api/v1/models'

/** A user's request that is answered with this number of records. */
const counts = (as: string | null, path: string, total: number): Scenario => ({
  name: `${as ?? 'a visitor'}: ${total}`,
  request: `GET ${MODELS}/${path}`,
  as,
  status: 200,
  expectPart: { total },
})

/** A user's request that is refused. */
const refused = (as: string | null, request: Scenario['request'], status: number, body?: object): Scenario => ({
  ...{ name: `${as ?? 'a visitor'}: ${status}`, request, as, status },
  ...(body === undefined ? {} : { body }),
})

/** Number of invoices of the seed that are sent or overdue. */
const OPEN_INVOICES = 33

const later = { data: { minutes: 30 } }

scenarios('fixtures/clinic', { fixture: 'clinic' }, [
  counts('admin', 'appointment', 200),
  counts('g.adeyemi', 'appointment', 200),
  counts('g.adeyemi', 'invoiceline', 200),
  counts(null, 'doctor', 8),
  refused(null, `GET ${MODELS}/patient`, 401),
  {
    name: 'a doctor has the own appointments in a list',
    request: `GET ${MODELS}/appointment?page_size=100`,
    as: 'a.yusuf',
    status: 200,
    check: ({ json }) => {
      assert.equal(json.total, 32)
      assert.deepEqual(new Set(json.data.map((each: { doctor_id: number }) => each.doctor_id)), new Set([1]))
    },
  },
  { name: 'a doctor changes the own', request: `PUT ${MODELS}/appointment/3`, as: 'a.yusuf', body: later, status: 200 },
  refused('e.marchand', `PUT ${MODELS}/appointment/3`, 400, later),
  refused('a.yusuf', `PUT ${MODELS}/appointment/3`, 403, { data: { doctor_id: 2 } }),
  refused('a.yusuf', `DELETE ${MODELS}/appointment/3`, 403),
  counts('e.marchand', 'invoice?filters=doctor_id__ne=3', 0),
  refused('a.yusuf', `GET ${MODELS}/invoiceline`, 403),
  { name: 'the usual doctor reads a restricted record', request: `GET ${MODELS}/patient/42`, as: 'a.yusuf', status: 200 },
  refused('e.marchand', `GET ${MODELS}/patient/42`, 404),
  refused('g.adeyemi', `DELETE ${MODELS}/invoice/1`, 403),
  {
    name: 'reception marks invoices as paid',
    request: `POST ${MODELS}/invoice/actions/mark_as_paid`,
    as: 'g.adeyemi',
    body: { filters: ['status__in=sent,overdue'], expected_total: OPEN_INVOICES, input: { payment_method: 'card' } },
    status: 200,
    check: ({ json }) => {
      const [{ status, paid_on, payment_method }] = json.data
      assert.deepEqual([json.total, status, paid_on, payment_method], [OPEN_INVOICES, 'paid', '2026-01-15', 'card'])
    },
  },
  refused('a.yusuf', `POST ${MODELS}/invoice/1/actions/mark_as_paid`, 403),
  {
    name: 'the question before an action reads right for one record and for several',
    request: 'GET /admin/api/v1/site',
    status: 200,
    check({ text }) {
      const questions = [...text.matchAll(/"confirm":"([^"]*)"/g)].map(([, question = '']) => question)
      assert.ok(questions.length > 0)
      for (const question of questions) assert.doesNotMatch(question, /\{count\} \w/)
    },
  },
])
