import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TextOrder } from '../../../../src/store/postgres/layout/text-order.ts'
import { museumRegistry, WORDS } from '../../../helpers/postgres/museum.ts'
import { Random } from '../../../helpers/postgres/random.ts'

const CHARACTERS = [
  'a',
  'Z',
  '\u0001',
  '\u0002',
  '\ud7ff',
  '\ue000',
  '～',
  '\uffff',
  '😀',
  '\u{10000}',
  '\u{10fffe}',
  '\u{10ffff}',
]

const field = (name: string) => museumRegistry().expect('exhibit').fields.get(name) ?? assert.fail(name)

/** The order of the collation "C" in UTF-8. */
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
const byUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

test('mapped texts are ordered by their bytes as the texts are by code units', () => {
  const order = new TextOrder(field('title'))
  const random = new Random(9)
  const text = () => random.list(5, () => random.pick(CHARACTERS)).join('')
  for (let round = 0; round < 20_000; round++) {
    const [a, b] = [text(), text()]
    assert.equal(byBytes(order.map(a), order.map(b)), byUnits(a, b), JSON.stringify([a, b]))
  }
})

test('mapping can be undone, and leaves ASCII as it is', () => {
  const order = new TextOrder(field('title'))
  for (const text of [...WORDS, CHARACTERS.join(''), '\u{10ffff}\u{10ffff}\ue000'])
    assert.equal(order.unmap(order.map(text)), text)
  assert.equal(order.map('Plain text'), 'Plain text')
})

test('a text that cannot be stored has its place between those that can', () => {
  const order = new TextOrder(field('title'))
  const bounds = ['a\0b', '\0', 'a\ud83d', '\ud83dz', '\ud83d\ue000', '\udbff\uffff', 'a\udc00', '\udfff']
  const texts = [
    '',
    'a',
    'ab',
    'a\u0001',
    'a😀',
    '😀',
    '\ud83d\udfff',
    '\ud83e\udc00',
    '\u{10ffff}',
    '\u{10ffff}\u{10ffff}',
    '\ue000',
    'a\ue000',
  ]
  for (const bound of bounds) {
    const place = order.place(bound)
    assert.equal(place.isBetween, true)
    for (const text of texts) assert.equal(byBytes(order.map(text), place.text) >= 0, text > bound, JSON.stringify([text, bound]))
  }
})

test('texts of limited length are whole keys; addresses, slugs and plain choices are not mapped', () => {
  const isWhole = (name: string) => new TextOrder(field(name)).isWhole
  assert.deepEqual(['title', 'note', 'story', 'code', 'contact', 'key', 'state'].map(isWhole), [
    true,
    false,
    false,
    false,
    true,
    true,
    true,
  ])
  for (const name of ['code', 'contact', 'key', 'state']) assert.equal(new TextOrder(field(name)).map('～'), '～', name)
})
