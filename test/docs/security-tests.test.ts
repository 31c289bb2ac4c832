import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')

/** The tests that the rows of the table name: by their path, or by their name in the folder of the one before. */
function testsNamed(page: string): string[] {
  return page.split('\n').flatMap((line) => {
    const cell = line.split(' | ').at(-1) ?? ''
    if (!line.startsWith('| ') || !cell.includes('`test/')) return []
    let folder = ''
    return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => {
      const path = name.startsWith('test/') ? name : join(folder, name)
      folder = dirname(path)
      return path
    })
  })
}

test('every test that SECURITY.md names exists', () => {
  const named = testsNamed(readFileSync(join(ROOT, 'SECURITY.md'), 'utf8'))
  assert.ok(named.length > 60, `${named.length} tests are named`)
  const missing = named.filter(
    (path) => !['', '.test.ts', '.slow.test.ts'].some((ending) => existsSync(join(ROOT, `${path}${ending}`))),
  )
  assert.deepEqual(missing, [])
})
