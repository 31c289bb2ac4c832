import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
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

  /** Every command, in an order in which each has what it needs; `free` alone where a server would be in the way. */
  const SCENARIOS: readonly (readonly [line: string, says: RegExp, options?: { stdin?: string; free?: true }])[] = [
    ['--version', /^\d+\.\d+\.\d+\n$/],
    ['users add ann --email ann@example.com --password-stdin', /Added user 'ann'/, { stdin: 'long-enough-1\n' }],
    ['users passwd ann --password-stdin', /Changed the password of 'ann'/, { stdin: 'long-enough-2\n' }],
    ['users disable ann', /'ann' is disabled/],
    ['users enable ann', /'ann' is enabled/],
    ['users list', /^ID +USERNAME.*ann@example\.com/s],
    ['token', /^[\w-]+\.[\w-]+\.[\w-]+\n$/],
    ['import tag - --format csv', /Imported 1 record/, { stdin: 'name,slug\nReef,reef\n' }],
    ['export tag --filters slug=reef --fields name', /^id,name\r\n\d+,Reef\r\n$/],
    ['export --all -o all --force', /Wrote 46 records to all\/post\.csv/],
    ['mock tag --count 2 --seed 1', /Created 2 tag records\nThe seed was 1\n/],
    ['search tag reef', /^\d+ +Reef/],
    ['webhooks list', /^ID +ACTIVE/],
    ['webhooks drain', /Nothing is pending/],
    ['lint --format json', /"findings"/],
    ['generate view tag --list', /^name: TagList/],
    ['openapi', /"openapi":\s*"3\.1\.0"/],
    ['types', /export/],
    ['completion bash', /^_admin_complete/],
    ['complete -- export po', /^post\t\n$/],
    ['doctor', /^ok {4}node {5}\d/],
    ['compact', /^Before: db\.json/, { free: true }],
    ['snapshot list', /snapshot|NAME/i],
    ['reset --seed-data', /Removed every record/, { free: true }],
  ]

  for (const situation of ['without a server', 'beside a running server'] as const) {
    test(`every command does what it is for, ${situation}`, async () => {
      const project = await copyFixture('blog')
      const admin = async (line: string, stdin = '') => {
        const child = execFile(process.execPath, [bin, ...line.split(' ')], { cwd: project.path })
        child.stdin?.end(stdin)
        let said = ''
        for (const output of [child.stdout, child.stderr]) output?.on('data', (chunk) => (said += chunk))
        const [code] = await once(child, 'close')
        return { code, said }
      }
      try {
        // Makes the data, with its seed records.
        assert.equal((await admin('import tag - --format csv --dry-run', 'name,slug\n')).code, 0)
        const isServed = situation === 'beside a running server'
        const server = isServed ? await startServer(['--no-rate-limit'], { bin, cwd: project.path }) : undefined
        for (const [line, says, { stdin, free = false } = {}] of SCENARIOS) {
          if (free && isServed) continue
          const { code, said } = await admin(line, stdin)
          assert.equal(code, 0, `admin ${line}: ${said}`)
          assert.match(said, says, `admin ${line}`)
        }
        if (server !== undefined) assert.equal((await server.stop()).code, 0)
      } finally {
        await project.remove()
      }
    })
  }
})
