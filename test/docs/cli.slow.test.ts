import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandPaths } from '../helpers/cli/commands.ts'
import { readDocument, runDocument } from './document.ts'
import { codesIn, rowsOf } from './markdown.ts'

runDocument('cli.md')

test('the table lists exactly the commands of the CLI', async () => {
  const documented = rowsOf(readDocument('cli.md')).flatMap(([cell = '']) => codesIn(cell))
  const all = (await commandPaths()).map((path) => ['admin', ...path].join(' '))
  // A group of commands is not a command itself.
  const paths = all.filter((path) => !all.some((other) => other.startsWith(`${path} `)))
  assert.deepEqual(
    documented.map((line) => paths.find((path) => line === path || line.startsWith(`${path} `)) ?? line).sort(),
    paths.sort(),
  )
})
