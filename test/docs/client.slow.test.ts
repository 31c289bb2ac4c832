import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runDocument } from './document.ts'
import { blocksOf } from './markdown.ts'

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')

runDocument('client.md', (shell) => {
  // Tested here, since this page serves a project `shop` as the README does.
  test('the requests of the README succeed', async () => {
    const requests = blocksOf(readme).find(({ code }) => code.startsWith('TOKEN='))?.code ?? ''
    const { code, output, statuses } = await shell().run(requests)
    assert.equal(code, 0, output)
    assert.deepEqual(statuses, [200, 200, 201, 200, 200, 200], output)
  })
})
