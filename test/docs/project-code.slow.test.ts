import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOOKS_MS, LONG_MS, MAX_LEVELS } from '../../src/code/running.ts'
import { readDocument, runDocument } from './document.ts'

const document = readDocument('project-code.md')

runDocument('project-code.md')

test('the page says first that the folder is trusted, and gives the present limits', () => {
  assert.match(document.split('\n\n')[1] ?? '', /The folder is trusted/)
  assert.deepEqual([HOOKS_MS, LONG_MS, MAX_LEVELS], [5_000, 30_000, 5])
  assert.match(document, /have 5 seconds[\s\S]*has 30[\s\S]*on five levels/)
})
