import assert from 'node:assert/strict'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { runCli } from '../helpers/cli/cli.ts'
import { makeProject, type TemporaryFolder } from '../helpers/fixture.ts'

/** A model whose module writes a line each time it is loaded. */
const MODEL = `import { appendFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
appendFileSync(fileURLToPath(new URL('../loads', import.meta.url)), 'loaded\\n')
export default { name: 'Tag', fields: [{ name: 'name', type: 'string' }] }
`

const ADD = 'users add root --email root@example.com --superuser --password-stdin'

const COMMANDS: readonly (readonly [line: string, code: number])[] = [
  ['users list', 0],
  ['token', 0],
  ['export tag', 0],
  ['import tag - --format csv --dry-run', 0],
  ['mock tag --count 1', 0],
  ['search tag word', 0],
  ['webhooks list', 0],
  ['users sessions root', 0],
  ['users reset-2fa root', 0],
  ['openapi', 0],
  ['types', 0],
  ['compact', 0],
  ['snapshot save before', 0],
  ['snapshot list', 0],
  ['snapshot load before --yes', 0],
  ['snapshot remove before', 0],
  ['reset --yes', 0],
  ['events', 1],
  ['webhooks listen', 1],
]

describe('a command loads the project once', () => {
  let project: TemporaryFolder
  const admin = async (line: string) => {
    const { code, stderr } = await runCli(line.split(' '), { cwd: project.path, stdin: 'long-enough\n' })
    return { code, stderr }
  }
  before(async () => {
    project = await makeProject({ 'models/tag.js': MODEL })
    assert.equal((await admin(ADD)).code, 0)
  })
  after(() => project.remove())

  for (const [line, expected] of COMMANDS) {
    test(`admin ${line}`, async () => {
      await rm(join(project.path, 'loads'), { force: true })
      const { code, stderr } = await admin(line)
      assert.equal(code, expected, stderr)
      assert.equal(await readFile(join(project.path, 'loads'), 'utf8'), 'loaded\n')
    })
  }
})
