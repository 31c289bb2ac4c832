import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AdminError } from '../../src/client/client.ts'
import { hasUnparsed, joinedMessages, problemsOf, unparsedProblems } from '../../src/ui/form/problems.ts'
import { isSaveKey } from '../../src/ui/form/use-save-key.ts'
import { en } from '../../src/ui/text/en.ts'
import { faultsOf, faultText } from '../../src/ui/widgets/faults.ts'
import { Unparsed } from '../../src/ui/widgets/unparsed.ts'

test('a failed request names its fields by their titles; any other failure names none', () => {
  const fieldErrors = { lead: ['lead is mandatory', 'A lead is short'], body: ['Text is mandatory'] }
  const error = new AdminError('Invalid', { type: 'validation', status: 400, fieldErrors })
  const titles: Readonly<Record<string, string>> = { lead: 'Lead paragraph', body: 'Text' }
  const titleOf = (name: string) => titles[name] ?? name
  const fields = { lead: ['Lead paragraph is mandatory', 'A lead is short'], body: ['Text is mandatory'] }
  assert.deepEqual(problemsOf(error, titleOf), { error, fields })
  assert.deepEqual(problemsOf(new Error('offline'), titleOf).fields, {})
})

test('messages about sets of fields and refused fields have titles too', () => {
  const fieldErrors = {
    '2.day': ['day must be unique together with room, hour'],
    room: ["Field 'room' is not allowed to be updated"],
  }
  const error = new AdminError('Invalid', { type: 'validation', status: 400, fieldErrors })
  assert.deepEqual(problemsOf(error, (name) => name.toUpperCase()).fields, {
    '2.day': ['DAY must be unique together with ROOM, HOUR'],
    room: ["Field 'ROOM' is not allowed to be updated"],
  })
})

test('messages of a row are one sentence', () => {
  assert.equal(joinedMessages(['This is not a number yet.', 'Note is too long']), 'This is not a number yet; Note is too long')
  assert.equal(joinedMessages(['This is not a number yet.']), 'This is not a number yet.')
})

test('texts that are not values keep a form from being sent', () => {
  assert.equal(hasUnparsed({ title: 'A', count: 1 }), false)
  assert.equal(hasUnparsed({ title: 'A', count: new Unparsed('-', { kind: 'number' }) }), true)
})

test('a dry run with the other values finds the faults beside texts that are not values', async () => {
  const values = { title: '', count: new Unparsed('-', { kind: 'number' }) }
  const fine = await unparsedProblems(values, async (sent) => assert.deepEqual(sent, { title: '' }), String)
  assert.deepEqual(fine, { error: undefined, fields: { count: [] } })

  const fieldErrors = { title: ['title is mandatory'], count: ['count is mandatory'] }
  const refuse = async () => {
    throw new AdminError('Invalid', { type: 'validation', status: 400, fieldErrors })
  }
  const faulty = await unparsedProblems(values, refuse, () => 'Title')
  assert.deepEqual(faulty, { error: undefined, fields: { title: ['Title is mandatory'], count: [] } })
})

test('a fault has a message, with line and column for JSON', () => {
  assert.equal(faultText({ kind: 'json', text: '', line: 3, column: 8 }, en.form), 'This is not valid JSON: line 3, column 8.')
  assert.equal(faultText({ kind: 'date', pattern: 'dd/mm/yyyy' }, en.form), 'This is not a date. Write it as dd/mm/yyyy.')
})

test('Ctrl or ⌘ with Enter or S saves; with other modifiers it does not', () => {
  const key = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, key: 'Enter' }
  assert.equal(isSaveKey({ ...key, ctrlKey: true }), true)
  assert.equal(isSaveKey({ ...key, metaKey: true, key: 's' }), true)
  assert.equal(isSaveKey(key), false)
  assert.equal(isSaveKey({ ...key, ctrlKey: true, shiftKey: true }), false)
  assert.equal(isSaveKey({ ...key, ctrlKey: true, key: 'a' }), false)
})

test('the beginning of a number is named once its input was left or the form was to be saved, any other fault at once', () => {
  const half = new Unparsed('-', { kind: 'number' })
  assert.deepEqual(faultsOf(half, en.form, false), [])
  assert.deepEqual(faultsOf(half, en.form, true), ['This is not a number yet.'])
  assert.deepEqual(faultsOf(new Unparsed('-', half.fault, true), en.form, false), ['This is not a number yet.'])
  const ambiguous = new Unparsed('1,234', { kind: 'ambiguousNumber', readings: ['1234', '1.234'] })
  assert.deepEqual(faultsOf(ambiguous, en.form, false), ['This can be read in two ways: write 1234 or 1.234.'])
  assert.deepEqual(faultsOf(12, en.form, true), [])
})
