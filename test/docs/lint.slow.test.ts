import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RULES } from '../../src/lint/rules.ts'
import { readDocument, runDocument } from './document.ts'
import { rowsOf } from './markdown.ts'

const document = readDocument('lint.md')

runDocument('lint.md')

test('the table lists every rule with its severity and summary', () => {
  const documented = rowsOf(document).filter(([id = '']) => id.startsWith('`'))
  assert.deepEqual(
    documented,
    Object.entries(RULES).map(([id, { severity, summary }]) => [`\`${id}\``, severity, summary]),
  )
})
