import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { copyFixture, type TemporaryFolder, temporaryFolder } from '../helpers/fixture.ts'
import { startServer } from '../helpers/process.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')

/** What `npm install <tarball>` would leave behind, made from the dependencies that are installed here already. */
describe('the packed package', () => {
  let folder: TemporaryFolder
  let installed: string
  let bin: string

  before(async () => {
    folder = await temporaryFolder()
    const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder.path], { cwd: ROOT })
    const [{ filename }] = JSON.parse(stdout) as [{ filename: string }]
    installed = join(folder.path, 'node_modules/admin-backend')
    await mkdir(installed, { recursive: true })
    await run('tar', ['-xzf', join(folder.path, filename), '-C', installed, '--strip-components=1'])
    const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as {
      bin: { admin: string }
      dependencies: Record<string, string>
    }
    bin = join(installed, manifest.bin.admin)
    for (const name of Object.keys(manifest.dependencies)) {
      const path = join(folder.path, 'node_modules', name)
      await mkdir(join(path, '..'), { recursive: true })
      await symlink(join(ROOT, 'node_modules', name), path)
    }
  })
  after(() => folder.remove())

  test('holds compiled code, its types and its papers, and no sources or tests', async () => {
    assert.deepEqual((await readdir(installed)).sort(), [
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'bin',
      'dist',
      'package.json',
      'schemas',
    ])
    const code = await readdir(join(installed, 'dist'), { recursive: true })
    assert.ok(code.includes('index.d.ts'))
    assert.deepEqual(
      code.filter((name) => /(?<!\.d)\.ts$|\.test\./.test(name)),
      [],
    )
  })

  test('serves a folder that holds no project file yet', async () => {
    const server = await startServer([], { bin, cwd: folder.path })
    const views = await fetch(`${server.address}/admin/api/v1/views/`)
    assert.deepEqual([views.status, await views.json()], [200, { data: {} }])
    assert.equal((await server.stop()).code, 0)
  })

  test('serves a project with TypeScript files', async () => {
    const project = await copyFixture('blog')
    try {
      const server = await startServer(['--project', project.path], { bin, cwd: folder.path })
      const { data } = (await (await fetch(`${server.address}/admin/api/v1/views/post/`)).json()) as { data: { name: string }[] }
      assert.deepEqual(
        data.map(({ name }) => name),
        ['PostForm', 'PostQuickEditForm', 'PostList'],
      )
      assert.equal((await server.stop()).code, 0)
    } finally {
      await project.remove()
    }
  })
})
