import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCli } from '../../helpers/cli/cli.ts'
import { copyFixture } from '../../helpers/fixture.ts'

const SCRIPTS = {
  'scripts/fill.ts': `import type { Script } from 'admin-folder'
const fill: Script = async (ctx, args) => {
  const { data: one } = await ctx.model('note').create({ title: args[0] })
  const told = await ctx.transaction(async (tx) => {
    const note = await tx.model('note').read(one.id)
    tx.model('note').update(one.id, { title: note.title + '!' })
    tx.model('note').create({ title: 'Two' })
    return ctx.via + ' ' + ctx.actor
  })
  ctx.log.info(told)
}
export default fill
`,
  'scripts/half.ts': `import type { Script } from 'admin-folder'; const half: Script = (ctx) =>
  ctx.transaction(async (tx) => {
    tx.model('note').create({ title: 'Half' })
    throw new Error('No more')
  })
export default half
`,
  'scripts/none.ts': 'export const fill = 1\n',
  'scripts/refuses.ts': "import { refuse } from 'admin-folder'\nexport default () => refuse({ title: 'Not now' })\n",
  'scripts/text.ts': "export default 'fill'\n",
}

test('admin run runs a script, whose transaction is stored as a whole or not at all', async () => {
  await using project = await copyFixture('minimal')
  const admin = (...argv: readonly string[]) => runCli(argv, { cwd: project.path })
  await mkdir(join(project.path, 'scripts'))
  for (const [file, text] of Object.entries(SCRIPTS)) await writeFile(join(project.path, file), text)
  const filled = await admin('run', 'scripts/fill.ts', '--', 'One')
  assert.match(filled.stderr, /script null/)
  assert.equal(filled.code, 0)
  const half = await admin('run', 'scripts/half.ts')
  assert.match(half.stderr, /scripts\/half\.ts:4 script: No more/)
  assert.equal(half.code, 1)
  assert.equal((await admin('run', 'scripts/none.ts')).code, 2)
  assert.match((await admin('run', 'scripts/text.ts')).stderr, /must export a function/)
  assert.match((await admin('run', 'scripts/refuses.ts')).stderr, /Validation failed: \{"title":\["Not now"\]\}/)
  for (const path of ['scripts/lost.ts', 'scripts']) {
    const { stderr, code } = await admin('run', path)
    assert.deepEqual([stderr, code], [`error There is no file ${path} in ${project.path}\n`, 2])
  }
  const { stdout } = await admin('export', 'note', '--fields', 'title')
  assert.equal(stdout, 'id,title\r\n1,One!\r\n2,Two\r\n')
})
