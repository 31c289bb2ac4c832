import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readDocument, runDocument } from './document.ts'
import { blocksOf } from './markdown.ts'

const ROOT = join(import.meta.dirname, '../..')

runDocument('webhooks.md')

const [inDocument = ''] = (blocksOf(readDocument('webhooks.md')).find(({ file }) => file === 'receiver.mjs')?.code ?? '').split(
  '\nconst server',
)
const inReadme = blocksOf(readFileSync(join(ROOT, 'README.md'), 'utf8')).find(({ language }) => language === 'js')?.code ?? ''

for (const [place, code] of Object.entries({ 'docs/webhooks.md': inDocument, 'the README': inReadme })) {
  test(`the webhook verifier in ${place} has at most ten lines and accepts only valid signatures`, async () => {
    const body = code.slice(code.indexOf('export')).trimEnd()
    assert.ok(body.split('\n').length <= 10, body)
    const { verify } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
      verify: (body: string, secret: string) => boolean
    }
    const text = readFileSync(join(ROOT, 'fixtures/webhooks/vectors.json'), 'utf8')
    const vectors = JSON.parse(text) as { body: string; secrets: [string] }[]
    assert.ok(vectors.length >= 3, 'test vectors are missing')
    for (const { body: sent, secrets } of vectors) {
      assert.ok(verify(sent, secrets[0]), sent)
      assert.ok(!verify(sent, 'another secret of some length'), 'it accepts another secret')
      assert.ok(!verify(sent.replace('"data":{"id":', '"data":{"id":1'), secrets[0]), 'it accepts changed data')
      assert.ok(!verify(sent.replace('"}', '","more":1}'), secrets[0]), 'it accepts text after the signature')
      assert.ok(!verify('{}', secrets[0]), 'it accepts a missing signature')
    }
  })
}
