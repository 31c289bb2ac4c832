import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { AppError, ERRORS, type ErrorCode } from '../src/errors.ts'

const page = readFileSync(join(import.meta.dirname, '../docs/errors.md'), 'utf8')

test('docs/errors.md lists every error as the table has it, and no other', () => {
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (\d+) \| (\d) \| ([AB]) \| (.+?) \| .+ \|$/gm)]
  const documented = rows.map(([, code, status, exitCode, body, message]) => ({
    code,
    status: Number(status),
    exitCode: Number(exitCode),
    body,
    message,
  }))
  const actual = Object.entries(ERRORS).map(([code, entry]) => ({ code, ...entry }))
  assert.deepEqual(documented, actual)
})

test('every error is thrown somewhere', () => {
  const folder = join(import.meta.dirname, '../src')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && name !== 'errors.ts',
  )
  const source = files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n')
  const unused = Object.keys(ERRORS).filter((code) => !source.includes(`'${code}'`))
  assert.deepEqual(unused, [])
})

test('an error keeps its cause to itself', () => {
  const error = new AppError('INTERNAL', 'public words', { cause: new Error('private words') })
  assert.equal(error.status, 500)
  assert.equal(error.exitCode, 1)
  assert.doesNotMatch(JSON.stringify({ ...error, message: error.message }), /private/)
})

test('a message by field is kept as it is', () => {
  const code: ErrorCode = 'VALIDATION_FAILED'
  assert.deepEqual(new AppError(code, { title: ['title is mandatory'] }).details, { title: ['title is mandatory'] })
})
