import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { en } from '../../../src/ui/text/en.ts'

const FOLDER = join(import.meta.dirname, '../../../src/ui/text')

/** The names of all texts, such as `login.title`, with the number of their arguments. */
function namesOf(texts: object, prefix = ''): string[] {
  return Object.entries(texts).flatMap(([name, text]) => {
    if (typeof text === 'object') return namesOf(text, `${prefix}${name}.`)
    return typeof text === 'function' ? `${prefix}${name}(${text.length})` : prefix + name
  })
}

const languages = readdirSync(FOLDER).filter((name) => /^[a-z]{2}\.ts$/.test(name) && name !== 'en.ts')

test('German proves that a language is one file', () => assert.deepEqual(languages, ['de.ts']))

for (const language of languages) {
  test(`${language} has the texts of English, all of them, and none is empty`, async () => {
    const { default: texts } = (await import(join(FOLDER, language))) as { default: object }
    assert.deepEqual(namesOf(texts).sort(), namesOf(en).sort())
    assert.doesNotMatch(JSON.stringify(texts), /:""/)
  })
}
