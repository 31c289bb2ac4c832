import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { ADMIN_BIN } from '../helpers/cli/process.ts'
import { temporaryFolder } from '../helpers/fixture.ts'

const run = promisify(execFile)

const MODEL = `import { defineModel } from 'admin-folder'
export default defineModel({ name: 'Tag', label: 'Tags', fields: [{ name: 'name', type: 'string' }] })
`
const VIEW = `import { defineListView } from 'admin-folder'
import Tag from '../models/tag.FORMAT'
export default defineListView(Tag, { name: 'TagList', fields: [{ name: 'name', title: 'Name', field_type: 'string' }] })
`
/** A package of the project's own, which the program must not replace. */
const OTHER = {
  'node_modules/admin-folder/package.json': '{"name":"admin-folder","type":"module","exports":"./index.js"}',
  'node_modules/admin-folder/index.js': "export const defineModel = (model) => ({ ...model, label: 'From the project' })\n",
}

/** Runs the program as a global install does: the package is not above the project. */
async function labelIn(files: Readonly<Record<string, string>>): Promise<string> {
  await using folder = await temporaryFolder()
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder.path, name)), { recursive: true })
    await writeFile(join(folder.path, name), content)
  }
  const { stdout } = await run(process.execPath, [ADMIN_BIN, 'openapi'], { cwd: folder.path, maxBuffer: 1 << 24 })
  return JSON.parse(stdout).components.schemas.Tag.description
}

for (const [format, manifest] of [
  ['ts', undefined],
  ['ts', '{"type":"commonjs"}'],
  ['ts', '{"type":"module"}'],
  ['js', '{"type":"module"}'],
] as const) {
  const models = { [`models/tag.${format}`]: MODEL, ...(manifest === undefined ? {} : { 'package.json': manifest }) }
  const files = { ...models, [`views/tag.${format}`]: VIEW.replace('FORMAT', format) }
  test(`a project without the package imports that of the program: ${format}, package.json ${manifest ?? 'absent'}`, async () => {
    assert.equal(await labelIn(files), 'A record of Tags')
  })

  test(`the package of a project takes precedence: ${format}, package.json ${manifest ?? 'absent'}`, async () => {
    assert.equal(await labelIn({ ...models, ...OTHER }), 'A record of From the project')
  })
}

test('TypeScript of CommonJS is compiled once: a second run leaves no more in the cache of tsx', async () => {
  await using folder = await temporaryFolder()
  const project = join(folder.path, 'project')
  await mkdir(join(project, 'models'), { recursive: true })
  await mkdir(join(folder.path, 'temporary'))
  await writeFile(join(project, 'models/tag.ts'), MODEL)
  const env = { ...process.env, TMPDIR: join(folder.path, 'temporary') }
  const cached = async () => {
    await run(process.execPath, [ADMIN_BIN, 'openapi'], { cwd: project, maxBuffer: 1 << 24, env })
    return (await readdir(env.TMPDIR, { recursive: true })).sort()
  }
  const first = await cached()
  assert.notDeepEqual(first, [])
  assert.deepEqual(await cached(), first)
})
