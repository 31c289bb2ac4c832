import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choiceOf, choicesOf } from '../../../src/ui/widgets/choices/choices.ts'
import { fromLocal, stepFor, toLocal } from '../../../src/ui/widgets/dates/date-times.ts'
import { widgetKind } from '../../../src/ui/widgets/kind.ts'
import { isTypable, parseNumber, pointed } from '../../../src/ui/widgets/numbers/numbers.ts'
import { Unparsed } from '../../../src/ui/widgets/unparsed.ts'
import { siteField } from '../site-fixture.ts'

const flags = { name: 'x', required: false, readonly: false, disabled: false, is_primary_key: false }
const kindOf = (type: string, widget?: string, options?: object) =>
  widgetKind(
    { ...flags, ...(widget === undefined ? {} : { widget }), ...(options === undefined ? {} : { options }) },
    siteField('x', type),
  )

test('each type has an input, whatever widget a view names', () => {
  assert.equal(kindOf('string'), 'line')
  assert.equal(kindOf('string', 'x-mine'), 'line')
  assert.equal(kindOf('text'), 'lines')
  assert.equal(kindOf('text', 'text'), 'line')
  assert.equal(kindOf('date', 'text'), 'date')
  assert.equal(kindOf('json', 'textarea'), 'json')
  assert.equal(kindOf('boolean', 'select'), 'select')
  assert.equal(kindOf('boolean', 'number'), 'checkbox')
  assert.equal(kindOf('many_to_many', 'checkboxes'), 'relations')
  assert.equal(kindOf('foreignkey', 'select'), 'relation')
  assert.equal(kindOf('password', 'text'), 'password')
  // A list of choices without choices would be a trap.
  assert.equal(kindOf('string', 'select'), 'line')
  assert.equal(kindOf('integer', 'radio'), 'number')
  assert.equal(kindOf('integer', 'radio', { choices: [1, 2] }), 'radio')
})

test('a view narrows the choices of the model, and its labels and colours come first', () => {
  const status = siteField('status', 'choice', {
    choices: [
      { value: 'draft', label: 'Draft', color: 'gray' },
      { value: 'live', label: 'Live' },
    ],
  })
  const view = { ...flags, options: { choices: ['draft'], labels: { draft: 'Not yet' }, colors: { live: 'green' } } }
  assert.deepEqual(choicesOf(view, status), [{ value: 'draft', key: 'draft', label: 'Not yet', color: 'gray' }])
  assert.equal(choiceOf('live', view, status).color, 'green')
  assert.equal(choiceOf('gone', view, status).label, 'gone')
})

test('numbers: letters are refused, decimals keep their digits, half a number is no value', () => {
  assert.equal(isTypable('integer', '12a'), false)
  assert.equal(isTypable('integer', '1.5'), false)
  assert.equal(isTypable('decimal', '-1.'), true)
  assert.equal(parseNumber('integer', '12'), 12)
  assert.equal(parseNumber('decimal', '0.10'), '0.10')
  assert.equal(parseNumber('number', pointed(' 1,5 ')), 1.5)
  assert.equal(parseNumber('integer', ''), null)
  assert.ok(parseNumber('integer', '-') instanceof Unparsed)
  // Above 2^53 a number would be rounded.
  assert.ok(parseNumber('integer', '9007199254740993') instanceof Unparsed)
})

test('date-times are local in the input and have an offset when sent', () => {
  const local = toLocal('2026-07-01T08:30:00.000Z')
  assert.match(local, /^2026-0[67]-\d\dT\d\d:\d\d$/)
  assert.equal(new Date(String(fromLocal(local))).toISOString(), '2026-07-01T08:30:00.000Z')
  assert.match(String(fromLocal(local)), /[+-]\d\d:\d\d$/)
  assert.equal(toLocal(null), '')
  assert.equal(fromLocal(''), null)
  assert.equal(stepFor(toLocal('2026-07-01T08:30:15.000Z')), 1)
  assert.equal(stepFor(local), undefined)
})
