import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TOOLS } from '../../src/mcp/server.ts'
import { readDocument, runDocument } from './document.ts'
import { codesIn, rowsOf } from './markdown.ts'

runDocument('agents.md')

test('the table lists exactly the tools', () => {
  const listed = rowsOf(readDocument('agents.md')).flatMap(([cell = '']) => codesIn(cell))
  assert.deepEqual(
    listed,
    TOOLS.map(({ name }) => name),
  )
})
