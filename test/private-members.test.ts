import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { test } from 'node:test'

const SRC = join(import.meta.dirname, '../src')

/** Ways to reach a private member of Node.js or of a library. Names with an underscore are private by convention. */
const FORBIDDEN: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['reads or sets a member with an underscore', /[\w)\]?]\._+[a-zA-Z]/],
  ['reads a member with an underscore by its name', /\[['"`]_+[a-zA-Z]/],
  ['takes a member with an underscore', /\{[^{}]*\b_+[a-zA-Z]\w*[^{}]*\}\s*=/],
  ['takes a member that pg does not declare', /\b(?:processID|secretKey)\b/],
  ['declares a member with an underscore', /^\s*(?:(?:readonly|static)\s+)*_+[a-zA-Z]\w*\s*[:=]/],
  ['overrides a member with an underscore', /\boverride\s+(?:\w+\s+)*_/],
  ['overrides the dispatch of events; add a listener instead', /\boverride (?:emit|on|once|addListener)\b/],
  ['looks for hidden symbols', /getOwnPropertySymbols/],
]

/** The exceptions: a file, the member and the reason. */
const EXCEPTIONS: readonly (readonly [file: string, member: RegExp, reason: string])[] = [
  [
    'store/postgres/connection/session.ts',
    /\b(?:processID|secretKey)\b/,
    'a cancel request names a session by them, and pg has no public way to cancel a statement',
  ],
  ['ui/build/icons.ts', /\b__iconData\b/, 'lucide exports the parts of an icon, without a component, by this name only'],
  ['config/module-source.ts', /\b__esModule\b/, 'the mark of a compiled module, a convention of all compilers'],
]

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => join(SRC, name))

function violationsIn(text: string, file = ''): string[] {
  const excepted = EXCEPTIONS.filter(([name]) => name === file).map(([, member]) => member)
  return text.split('\n').flatMap((line, index) => {
    const code = excepted.reduce(
      (rest, member) => rest.replaceAll(new RegExp(member, 'g'), ''),
      line.replace(/^\s*(?:\*|\/\/|\/\*\*).*/, ''),
    )
    return FORBIDDEN.filter(([, pattern]) => pattern.test(code)).map(([what]) => `line ${index + 1} ${what}: ${line.trim()}`)
  })
}

test('no file uses or overrides a private member of Node.js or of a library, but for the exceptions', () => {
  const found = files.flatMap((file) =>
    violationsIn(readFileSync(file, 'utf8'), relative(SRC, file).replaceAll(sep, '/')).map(
      (violation) => `${relative(SRC, file)} ${violation}`,
    ),
  )
  assert.deepEqual(found, [], 'Use a public extension point instead: private members change without notice')
})

test('each exception is used', () => {
  const unused = EXCEPTIONS.filter(([file, member]) => !member.test(readFileSync(join(SRC, file), 'utf8')))
  assert.deepEqual(unused, [])
})

for (const line of [
  '  override _storeHeader(firstLine: string): void {',
  '    _isPayloadPending: boolean',
  'const open = socket._httpMessage',
  'const { _httpMessage: open } = socket',
  'const { __data } = icon',
  'const { processID } = client',
  "const open = socket['_httpMessage']",
  '  override emit(event: string): boolean {',
]) {
  test(`\`${line.trim()}\` is found`, () => assert.equal(violationsIn(line).length, 1))
}
