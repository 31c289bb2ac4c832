import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { SCAFFOLD } from '../../src/cli/scaffold.ts'
import { typesOf } from '../../src/contract/types.ts'
import { projectOf } from '../contract/documents.ts'
import { typeCheck } from '../helpers/type-check.ts'
import { ADMIN, openLive } from './live.ts'

const ROOT = join(import.meta.dirname, '../..')
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')

/** The block of code in README of this language that imports the client. */
function block(language: string): string {
  const [, code] = new RegExp(`\`\`\`${language}\\n(import [^\\n]*'admin-backend/client'[\\s\\S]*?)\`\`\``).exec(readme) ?? []
  return code ?? assert.fail(`README has no block in ${language} that imports the client`)
}

describe('what README says of the client', () => {
  test('is right about its types, in a new project', async () => {
    const types = typesOf(await projectOf(SCAFFOLD))
    const files = {
      'admin.ts': types,
      'client.ts': `declare const password: string\n${block('ts')}`,
      'providers.ts': block('tsx'),
      'refine.ts': block('tsx').replace('admin-backend/react-admin', 'admin-backend/refine'),
    }
    assert.equal(await typeCheck(files), '')
  })

  test('works against a new project', async ({ mock }) => {
    const users = `- { username: ${ADMIN.username}, email: admin@example.org, password: ${ADMIN.password}, is_superuser: true }\n`
    const app = await openLive({ files: { ...SCAFFOLD, 'seed/user.yaml': users } })
    const said = { log: mock.method(console, 'log', () => {}), error: mock.method(console, 'error', () => {}) }
    try {
      const code = block('ts')
        .replace("'admin-backend/client'", `'${pathToFileURL(join(ROOT, 'src/client/client.ts'))}'`)
        .replace('http://127.0.0.1:8000', app.url)
      const file = join(app.folder.path, 'use.ts')
      await writeFile(file, `const password = '${ADMIN.password}'\n${code}`)
      await import(String(pathToFileURL(file)))
      const calls = ({ log, error }: typeof said) =>
        [log, error].map(({ mock: { calls: made } }) => made.map((call) => call.arguments))
      assert.deepEqual(calls(said), [
        [
          ['Hello', 1],
          ['Work in progress', 1],
        ],
        [['validation', { title: ['title must be at least 3 characters long'] }]],
      ])
    } finally {
      await app.close()
    }
  })
})
