import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const SRC = join(import.meta.dirname, '../../src')

const texts = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, text: readFileSync(join(SRC, name), 'utf8') }))

const filesWith = (pattern: RegExp): string[] => texts.flatMap(({ name, text }) => (pattern.test(text) ? [name] : [])).sort()

test('every session begins in SessionStart, which asks for the second factor', () => {
  assert.deepEqual(filesWith(/[sS]essions(\)|\?|!)*\s*\.begin\b/), ['accounts/session-start.ts'])
  // Nothing else inserts a session.
  assert.deepEqual(filesWith(/\.create(Many)?\(SYSTEM, SESSIONS?\b|kind: 'insert', table: SESSIONS?\b/), ['accounts/sessions.ts'])
  const [start] = texts.filter(({ name }) => name === 'accounts/session-start.ts')
  const [, body = ''] = /async start\(.*?\{\n(.*?)\n {2}\}/s.exec(start?.text ?? '') ?? []
  const places = ['factors.require(', 'sessions.begin(', 'factors.isCurrent('].map((call) => body.indexOf(call))
  assert.ok(
    (places[0] ?? -1) > 0 && places.every((place, index) => index === 0 || place > (places[index - 1] ?? 0)),
    places.join(),
  )
})

test('tokens of sessions are issued by SessionStart and by refreshes only', () => {
  assert.deepEqual(filesWith(/new TokenGrants\(/), ['accounts/logins.ts', 'accounts/session-start.ts'])
})
