import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandPaths } from '../helpers/commands.ts'
import { readDocument, runDocument } from './document.ts'
import { codesIn, rowsOf } from './markdown.ts'

runDocument('cli.md')

test('every command is in the table, and no other', async () => {
  const documented = rowsOf(readDocument('cli.md')).flatMap(([cell = '']) => codesIn(cell))
  const all = (await commandPaths()).map((path) => ['admin', ...path].join(' '))
  // A group of commands does nothing by itself.
  const paths = all.filter((path) => !all.some((other) => other.startsWith(`${path} `)))
  assert.deepEqual(
    documented.map((line) => paths.find((path) => line === path || line.startsWith(`${path} `)) ?? line).sort(),
    paths.sort(),
  )
})
