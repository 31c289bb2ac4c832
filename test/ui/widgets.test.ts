import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withOffset } from '../../src/client/local-time.ts'
import { choiceOf, choicesOf, toggledChoice } from '../../src/ui/cells/choices.ts'
import { fromLocal, repeatedTimes, toLocal } from '../../src/ui/widgets/date-times.ts'
import { widgetKind } from '../../src/ui/widgets/kind.ts'
import { numberSigns, numberText, parseNumber } from '../../src/ui/widgets/numbers.ts'
import { Unparsed } from '../../src/ui/widgets/unparsed.ts'
import { valuesOf } from '../helpers/values-of.ts'
import { siteField } from './site-fixture.ts'

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
  assert.equal(kindOf('boolean', 'number'), 'switch')
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

const EN = numberSigns('en-GB')
const DE = numberSigns('de-DE')
const FR = numberSigns('fr-FR')

/** The value of a typed text; the kind of the fault, with the readings of an ambiguous number. */
function read(type: string, text: string, signs = EN): unknown {
  const parsed = parseNumber(type, text, signs)
  if (!(parsed instanceof Unparsed)) return parsed
  const { fault } = parsed
  return fault.kind === 'ambiguousNumber' ? fault.readings : fault.kind
}

test('a number is read with the signs of the language', () => {
  assert.deepEqual(EN, { decimal: '.', group: ',' })
  assert.deepEqual(DE, { decimal: ',', group: '.' })
  for (const text of ['1,234.56', '1234.56', '1.234,56', '1 234.56', "1'234.56", '1’234,56', '+1,234.56', ' 1,234.56 '])
    assert.equal(read('number', text), 1234.56, text)
  assert.equal(read('decimal', '1.234.567,50', DE), '1234567.50')
  assert.equal(read('number', '1,5', DE), 1.5)
  assert.equal(read('number', '1,234', DE), 1.234)
  assert.equal(read('number', '1,234'), 1234)
  assert.equal(read('number', '-1.234', DE), -1234)
  assert.equal(read('integer', '12,000'), 12000)
  assert.equal(read('decimal', '1.234,5', DE), '1234.5')
  assert.equal(read('number', '1\u202f234,5', FR), 1234.5)
  assert.equal(read('number', '−1.5'), -1.5)
  assert.equal(read('integer', '1,234,567'), 1234567)
  assert.equal(read('number', '1e5'), 100000)
  // The other sign for decimals has one meaning where no three digits follow.
  assert.equal(read('number', '1,5'), 1.5)
  assert.equal(read('number', '0,125'), 0.125)
  assert.equal(read('decimal', '1.5', DE), '1.5')
})

test('a number that can be read in two ways is refused', () => {
  assert.deepEqual(read('number', '1.234', FR), ['1234', '1,234'])
  assert.deepEqual(read('number', '-12.000', FR), ['-12000', '-12,000'])
})

test('a text that is no number is refused, the beginning of one too', () => {
  for (const text of ['1e5e5', '12.5.3', '1,2,3', '1,23.4', '12a', 'a', '1.2,3,4', '1--2', "1'2"])
    assert.equal(read('number', text), 'notNumber', text)
  for (const text of ['-', '1e', '1e-', '.']) assert.equal(read('number', text), 'number', text)
  assert.equal(read('integer', '1.5'), 'notNumber')
  assert.equal(read('decimal', '1e5'), 'notNumber')
  assert.equal(read('integer', ''), null)
})

test('no digit of a number is lost', () => {
  assert.equal(read('decimal', '0.10'), '0.10')
  assert.equal(read('decimal', '1.00000000000000001'), '1.00000000000000001')
  for (const [type, text] of [
    ['integer', '9007199254740993'],
    ['number', '9007199254740993'],
    ['number', '0.10000000000000001'],
    ['number', '1e400'],
    ['number', '1e-400'],
  ] as const)
    assert.equal(read(type, text), 'inexactNumber', text)
  assert.equal(read('number', '0.1'), 0.1)
  assert.equal(read('number', '1152921504606846976'), 2 ** 60)
})

test('an input shows what it reads', () => {
  for (const signs of [EN, DE, FR])
    for (const value of [0, -1.5, 1.234, 1234.56, 1e21, 1.5e-7])
      assert.equal(read('number', numberText(value, signs), signs), value)
  assert.equal(numberText('12.5', DE, 2), '12,50')
  assert.equal(numberText('12', EN, 2), '12.00')
  assert.equal(numberText('1.5e-7', EN, 2), '1.5e-7')
  assert.equal(numberText(null, DE), '')
})

test('date-times are local in the input and have an offset when sent', () => {
  const local = toLocal('2026-07-01T08:30:00.000Z')
  assert.match(local, /^2026-0[67]-\d\dT\d\d:\d\d$/)
  assert.equal(new Date(String(fromLocal(local))).toISOString(), '2026-07-01T08:30:00.000Z')
  assert.match(String(fromLocal(local)), /[+-]\d\d:\d\d$/)
  assert.equal(toLocal(null), '')
  assert.equal(fromLocal(''), null)
})

/** Runs a function in a time zone. */
function inZone<Result>(zone: string, run: () => Result): Result {
  const former = process.env.TZ
  process.env.TZ = zone
  try {
    return run()
  } finally {
    if (former === undefined) delete process.env.TZ
    else process.env.TZ = former
  }
}

test('a time that clocks skip is refused, and of one that comes twice the nearer to the stored one is meant', () => {
  inZone('Europe/Berlin', () => {
    const skipped = fromLocal('2024-03-31T02:30')
    assert.ok(skipped instanceof Unparsed && skipped.fault.kind === 'skippedTime')
    assert.equal(fromLocal('2024-03-31T03:30'), '2024-03-31T03:30+02:00')
    assert.equal(fromLocal('2024-10-27T02:30'), '2024-10-27T02:30+02:00')
    assert.equal(fromLocal('2024-10-27T02:31', '2024-10-27T01:30:00.000Z'), '2024-10-27T02:31+01:00')
    assert.equal(fromLocal('2024-10-27T02:31', '2024-10-27T00:30:00.000Z'), '2024-10-27T02:31+02:00')
    assert.equal(fromLocal('2024-07-01T10:00:15.5'), '2024-07-01T10:00:15.5+02:00')
  })
})

test('both times are offered where clocks are set back, and for no other time', () => {
  inZone('Europe/Berlin', () => {
    assert.deepEqual(valuesOf(repeatedTimes('2024-10-27T02:30:15'), 'value'), [
      '2024-10-27T02:30:15+02:00',
      '2024-10-27T02:30:15+01:00',
    ])
    for (const text of ['', '2024-10-27T01:59', '2024-10-27T03:00', '2024-03-31T02:30', '2024-07-01T10:00'])
      assert.deepEqual(repeatedTimes(text), [], text)
  })
  inZone('Australia/Lord_Howe', () => {
    assert.deepEqual(valuesOf(repeatedTimes('2024-04-07T01:45'), 'offset'), ['+11:00', '+10:30'])
  })
  inZone('Asia/Kolkata', () => assert.deepEqual(repeatedTimes('2024-10-27T02:30'), []))
})

test('of a local time that comes twice, front ends send the one that is nearer to the stored one', () => {
  inZone('Europe/Berlin', () => {
    const [first, second] = ['2024-10-27T00:30:00.000Z', '2024-10-27T01:30:00.000Z']
    assert.equal(withOffset('2024-10-27T02:30', first), '2024-10-27T02:30+02:00')
    assert.equal(withOffset('2024-10-27T02:30', second), '2024-10-27T02:30+01:00')
    assert.equal(withOffset('2024-10-27T02:30', new Date(second)), '2024-10-27T02:30+01:00')
    assert.equal(withOffset('2024-10-27T02:30', null), '2024-10-27T02:30+02:00')
    assert.equal(withOffset('2024-07-01T02:30', second), '2024-07-01T02:30+02:00')
    assert.deepEqual(withOffset(['2024-10-27T02:30'], second), ['2024-10-27T02:30+02:00'])
  })
})

test('front ends that send a time that clocks skip send the later one', () => {
  inZone('Europe/Berlin', () => {
    assert.equal(withOffset('2024-03-31T02:30'), '2024-03-31T02:30+01:00')
    assert.equal(withOffset('2024-10-27T02:30'), '2024-10-27T02:30+02:00')
    assert.equal(withOffset('2024-07-01'), '2024-07-01T00:00+02:00')
  })
  inZone('America/Sao_Paulo', () => assert.equal(withOffset('2018-11-04'), '2018-11-04T00:00-03:00'))
})

test('a box that is ticked on and off leaves a list as it was', () => {
  const choices = ['de', 'en', 'fr'].map((key) => ({ key, value: key, label: key, color: undefined }))
  assert.deepEqual(toggledChoice(['de', 'fr'], 'en', choices), ['de', 'en', 'fr'])
  assert.deepEqual(toggledChoice([], 'fr', choices), ['fr'])
  // Another order, and a value that is no choice any more.
  for (const stored of [
    ['fr', 'de'],
    ['old', 'fr'],
  ])
    assert.deepEqual(toggledChoice(toggledChoice(stored, 'en', choices), 'en', choices), stored)
})
