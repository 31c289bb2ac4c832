import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'

const SRC = join(import.meta.dirname, '../src')

/** Ways to reach a private member of Node.js or of a library. Names with an underscore are private by convention. */
const FORBIDDEN: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['reads or sets a member with an underscore', /[\w)\]?]\._[a-zA-Z]/],
  ['reads a member with an underscore by its name', /\[['"`]_[a-zA-Z]/],
  ['declares a member with an underscore', /^\s*(?:(?:readonly|static)\s+)*_[a-zA-Z]\w*\s*[:=]/],
  ['overrides a member with an underscore', /\boverride\s+(?:\w+\s+)*_/],
  ['overrides the dispatch of events; add a listener instead', /\boverride (?:emit|on|once|addListener)\b/],
  ['looks for hidden symbols', /getOwnPropertySymbols/],
]

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => join(SRC, name))

function violationsIn(text: string): string[] {
  return text.split('\n').flatMap((line, index) => {
    const code = line.replace(/^\s*(?:\*|\/\/|\/\*\*).*/, '')
    return FORBIDDEN.filter(([, pattern]) => pattern.test(code)).map(([what]) => `line ${index + 1} ${what}: ${line.trim()}`)
  })
}

test('no file uses or overrides a private member of Node.js or of a library', () => {
  const found = files.flatMap((file) =>
    violationsIn(readFileSync(file, 'utf8')).map((violation) => `${relative(SRC, file)} ${violation}`),
  )
  assert.deepEqual(found, [], 'Use a public extension point instead: private members change without notice')
})

for (const line of [
  '  override _storeHeader(firstLine: string): void {',
  '    _isPayloadPending: boolean',
  'const open = socket._httpMessage',
  "const open = socket['_httpMessage']",
  '  override emit(event: string): boolean {',
]) {
  test(`\`${line.trim()}\` is found`, () => assert.equal(violationsIn(line).length, 1))
}
