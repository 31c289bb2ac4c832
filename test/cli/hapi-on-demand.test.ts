import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { ADMIN_BIN } from '../helpers/cli/process.ts'
import { makeProject, type TemporaryFolder } from '../helpers/fixture.ts'

/** A model whose module writes at the end of the process whether hapi was loaded. */
const MODEL = `import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
const { cache } = createRequire(import.meta.url)
process.on('exit', () => {
  const isLoaded = Object.keys(cache).some((file) => /@hapi.hapi.lib/.test(file))
  writeFileSync(fileURLToPath(new URL('../hapi', import.meta.url)), String(isLoaded))
})
export default { name: 'Tag', fields: [{ name: 'name', type: 'string' }] }
`

const COMMANDS: readonly (readonly [line: string, loadsHapi: boolean])[] = [
  ['mock tag --count 1', false],
  ['export tag', false],
  ['search tag word', true],
]

describe('a command loads hapi only when it makes a request in its own process', () => {
  let project: TemporaryFolder
  before(async () => {
    project = await makeProject({ 'models/tag.js': MODEL })
  })
  after(() => project.remove())

  for (const [line, loadsHapi] of COMMANDS) {
    test(`admin ${line}: ${loadsHapi ? 'yes' : 'no'}`, async () => {
      await promisify(execFile)(process.execPath, [ADMIN_BIN, ...line.split(' ')], { cwd: project.path })
      assert.equal(await readFile(join(project.path, 'hapi'), 'utf8'), String(loadsHapi))
    })
  }
})
