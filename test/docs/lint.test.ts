import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RULES } from '../../src/lint/rules.ts'
import { readDocument, runDocument } from './document.ts'
import { blocksOf, rowsOf } from './markdown.ts'

const document = readDocument('lint.md')

runDocument('lint.md', (shell) => {
  test('what the workflow runs, runs', async () => {
    const workflow = blocksOf(document).find(({ file }) => file?.endsWith('lint.yml'))?.code ?? ''
    const [, ...runs] = [...workflow.matchAll(/- run: (.*)$/gm)].map(([, run = '']) => run)
    assert.equal(runs.length, 2)
    for (const run of runs) {
      const here = run.replace('npx ', '').replaceAll(/origin\/\$\{\{.*?\}\}/g, 'main')
      const { code, output } = await shell().run(`git checkout --quiet models && ${here}`)
      assert.equal(code, 0, output)
    }
  })
})

test('every rule is in the table', () => {
  const documented = rowsOf(document).filter(([id = '']) => id.startsWith('`'))
  assert.deepEqual(
    documented,
    Object.values(RULES).map(({ id, severity, summary }) => [`\`${id}\``, severity, summary]),
  )
})
