import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchingOptions } from '../../src/ui/text/format.ts'

const options = ['Ferries', 'Food & Recipes', 'Storms'].map((label, index) => ({ value: String(index), label }))
const labels = (text: string) => matchingOptions(options, text).map(({ label }) => label)

test('options match by a part of their label, upper and lower case alike; spaces around the text have no meaning', () => {
  assert.deepEqual(labels('RE'), ['Food & Recipes'])
  assert.deepEqual(labels(' st '), ['Storms'])
  assert.deepEqual(labels(''), ['Ferries', 'Food & Recipes', 'Storms'])
  assert.deepEqual(labels('x'), [])
})

test('both lower-case forms of the Greek sigma are one letter', () => {
  const [option] = matchingOptions([{ value: '1', label: 'ΚΩΣΤΑΣ' }], 'κως')
  assert.equal(option?.value, '1')
})
