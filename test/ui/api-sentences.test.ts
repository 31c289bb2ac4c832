import assert from 'node:assert/strict'
import { test } from 'node:test'
import { titledSentence } from '../../src/ui/data/api-sentences.ts'
import { siteField, siteModel } from './site-fixture.ts'

const book = { ...siteModel('book', 'id', [siteField('slug'), siteField('pin')]), name: 'Book', label: 'Books' }

const ROWS = [
  ['Book with ID 3: slug must be unique; Book with ID 4 exists', 'Volume #3: SLUG must be unique; Volume #4 exists'],
  ['The history has no pin of Book with ID 1; set a new one', 'The history has no PIN of Volume #1; set a new one'],
  [
    'The history of Book is not recorded; what was deleted of it with Shelf stays deleted',
    'The history of Books is not recorded; what was deleted of it with Shelf stays deleted',
  ],
  ['Shelf with ID 2: slug must be unique', 'Shelf with ID 2: slug must be unique'],
] as const

for (const [sentence, titled] of ROWS) {
  test(`“${sentence}” has the titles of models and fields`, () => {
    assert.equal(titledSentence(sentence, { models: [book], nounOf: () => 'Volume' }), titled)
  })
}
