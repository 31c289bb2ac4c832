import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'

/** Holds a text against a file that is kept beside the tests; `UPDATE_SNAPSHOTS=1` writes the file, to be looked at in a diff. */
export function assertSnapshot(text: string, path: string): void {
  if (process.env.UPDATE_SNAPSHOTS === '1') writeFileSync(path, text)
  assert.equal(text, readFileSync(path, 'utf8'))
}
