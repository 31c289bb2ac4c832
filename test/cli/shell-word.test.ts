import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { shellWord } from '../../src/cli/style.ts'

test('a plain path stays as it is', () => assert.equal(shellWord('../my_shop-2/data.old'), '../my_shop-2/data.old'))

for (const text of ['my shop', "the owner's shop", '$HOME', 'a;b', '~', '*', '', 'ü ß'])
  test(`the shell reads ${JSON.stringify(text)} back as one word`, () =>
    assert.equal(execFileSync('sh', ['-c', `printf '<%s>' ${shellWord(text)}`], { encoding: 'utf8' }), `<${text}>`))
