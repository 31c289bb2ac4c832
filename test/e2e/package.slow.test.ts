import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { runCli } from '../helpers/cli/cli.ts'
import { commandPaths } from '../helpers/cli/commands.ts'
import { installPacked } from '../helpers/cli/packed.ts'
import { startServer } from '../helpers/cli/process.ts'
import { copyFixture, type TemporaryFolder, temporaryFolder } from '../helpers/fixture.ts'
import { SCENARIOS } from './scenarios.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')

/** Bytes of the tarball. */
const PACKED_BUDGET = 3_000_000

/** Entries of the package, from `exports` in package.json. */
const ENTRIES = ['index', 'client/client', 'client/react-admin', 'client/refine']

/** Reads a declaration file and all that it imports. Returns their paths; adds the names of the packages that they import. */
async function visitTypes(path: string, packages: Set<string>, seen = new Set<string>()): Promise<Set<string>> {
  if (seen.has(path)) return seen
  seen.add(path)
  for (const [, from = ''] of (await readFile(path, 'utf8')).matchAll(/(?:from|import\() ?'([^']+)'/g)) {
    if (from.startsWith('.')) await visitTypes(join(path, '..', from.replace(/\.[jt]s$/, '.d.ts')), packages, seen)
    else packages.add(from)
  }
  return seen
}

async function reachableTypes(installed: string): Promise<string[]> {
  const seen = await Promise.all(ENTRIES.map((entry) => visitTypes(join(installed, 'dist', `${entry}.d.ts`), new Set())))
  return [...new Set(seen.flatMap((paths) => [...paths]))]
}

/** Installs the tarball as `npm install <tarball>` would, with links to the dependencies that are already installed. */
describe('the packed package', () => {
  let folder: TemporaryFolder
  let installed: string
  let bin: string
  let packedSize: number

  before(async () => {
    folder = await temporaryFolder()
    const packed = await installPacked(folder.path)
    installed = packed.path
    bin = packed.bin
    packedSize = packed.packedSize
  })
  after(() => folder.remove())

  test('contains compiled code, types and documentation, but no sources or tests', async () => {
    assert.deepEqual((await readdir(installed)).sort(), [
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'bin',
      'dist',
      'docs',
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

  test(`has at most ${PACKED_BUDGET} bytes, and each type is one that an import of the package can reach`, async () => {
    assert.ok(packedSize <= PACKED_BUDGET, `${packedSize} bytes`)
    const types = (await readdir(join(installed, 'dist'), { recursive: true })).filter((name) => name.endsWith('.d.ts'))
    assert.deepEqual(types.map((name) => join(installed, 'dist', name)).sort(), (await reachableTypes(installed)).sort())
  })

  test('serves the admin page with its compressed assets', async () => {
    const page = await readdir(join(installed, 'dist/ui'), { recursive: true })
    assert.ok(page.includes('index.html') && page.includes('.vite/license.md'))
    const scripts = page.filter((name) => /^assets\/index-[^/]+\.js$/.test(name))
    assert.equal(scripts.length, 1)
    const large = page.find((name) => /^assets\/react-[^/]+\.js$/.test(name))
    assert.ok(page.includes(`${large}.br`) && page.includes(`${large}.gz`))
    await using project = await copyFixture('blog')
    const server = await startServer(['--project', project.path], { bin, cwd: folder.path })
    const document = await fetch(`${server.address}/admin/`)
    assert.equal(document.status, 200)
    assert.match(await document.text(), new RegExp(`/admin/${scripts[0]}`))
    const encodingOf = async (name: string | undefined) => {
      const { status, headers } = await fetch(`${server.address}/admin/${name}`, { headers: { 'accept-encoding': 'br' } })
      return [status, headers.get('content-encoding')]
    }
    // A small file has no compressed copy.
    assert.deepEqual(
      [await encodingOf(large), await encodingOf(scripts[0])],
      [
        [200, 'br'],
        [200, null],
      ],
    )
    assert.equal((await server.stop()).code, 0)
  })

  test('serves a folder with empty settings', async () => {
    await writeFile(join(folder.path, 'admin.config.yaml'), '')
    const server = await startServer([], { bin, cwd: folder.path })
    const views = await fetch(`${server.address}/admin/api/v1/views/`)
    assert.deepEqual([views.status, await views.json()], [200, { data: {} }])
    assert.equal((await server.stop()).code, 0)
  })

  test('serves a project with TypeScript files', async () => {
    await using project = await copyFixture('blog')
    const server = await startServer(['--project', project.path], { bin, cwd: folder.path })
    const { data } = (await (await fetch(`${server.address}/admin/api/v1/views/post/`)).json()) as { data: { name: string }[] }
    assert.deepEqual(
      data.map(({ name }) => name),
      ['PostForm', 'PostQuickEditForm', 'PostList'],
    )
    assert.equal((await server.stop()).code, 0)
  })

  for (const extension of ['ts', 'js']) {
    test(`a global installation loads models in ${extension} that import the package`, async () => {
      const model = "import { defineModel } from 'admin-folder'\nexport default defineModel({ name: 'Tag', fields: [] })\n"
      await using project = await temporaryFolder()
      await mkdir(join(project.path, 'models'))
      await writeFile(join(project.path, 'package.json'), '{"type": "module"}')
      await writeFile(join(project.path, `models/tag.${extension}`), model)
      const { stdout } = await run(process.execPath, [bin, 'openapi', '--project', project.path])
      assert.match(stdout, /\/models\/tag/)
    })
  }

  /** Compiles a program that imports the package, and returns the output of the compiler. */
  const compiled = async (name: string, code: string, options: object) => {
    const program = join(folder.path, name)
    await mkdir(program)
    const compilerOptions = { target: 'es2023', lib: ['es2023', 'dom'], types: [], strict: true, noEmit: true, ...options }
    await writeFile(join(program, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
    await writeFile(join(program, 'package.json'), '{"type": "module"}')
    await writeFile(join(program, 'use.ts'), code)
    const tsc = run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '--project', program])
    return tsc.then(({ stdout }) => stdout).catch(({ stdout }: { stdout: string }) => stdout)
  }

  const CLIENT = `import { AdminError, createClient } from 'admin-folder/client'
export const read = async (): Promise<number> => (await createClient({ url: '' }).model('tag').read(1)).data.id
// @ts-expect-error there is no client without an address
createClient({})
export const isOurs = (error: unknown): boolean => error instanceof AdminError
`

  test('the types need no package but the peers of the providers', async () => {
    for (const [entry, peers] of [
      ['index', []],
      ['client/client', []],
      ['client/react-admin', ['ra-core']],
      ['client/refine', ['@refinedev/core']],
    ] as const) {
      const packages = new Set<string>()
      await visitTypes(join(installed, 'dist', `${entry}.d.ts`), packages)
      assert.deepEqual([...packages], peers, entry)
    }
  })

  test('the types of the client need neither react-admin nor refine', async () => {
    assert.equal(await compiled('node', CLIENT, { module: 'nodenext' }), '')
    assert.equal(await compiled('bundled', CLIENT, { module: 'esnext', moduleResolution: 'bundler' }), '')
  })

  test('the providers run without react-admin and refine, and compile with them', async () => {
    const script = `for (const name of ['react-admin', 'refine']) {
      const { dataProvider, authProvider } = await import('admin-folder/' + name)
      const { createClient } = await import('admin-folder/client')
      const client = createClient({ url: 'http://127.0.0.1:9' })
      console.log(name, typeof dataProvider(client).getList, typeof authProvider(client).login)
    }`
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: folder.path })
    assert.equal(stdout, 'react-admin function function\nrefine function function\n')
    await mkdir(join(folder.path, 'node_modules/@refinedev'))
    for (const name of ['ra-core', '@refinedev/core']) {
      await symlink(join(ROOT, 'node_modules', name), join(folder.path, 'node_modules', name))
    }
    const code = `import { createClient } from 'admin-folder/client'
import * as reactAdmin from 'admin-folder/react-admin'
import * as refine from 'admin-folder/refine'
const client = createClient({ url: '' })
// @ts-expect-error a resource has a name
reactAdmin.dataProvider(client).getList(1)
// @ts-expect-error a resource has a name
refine.dataProvider(client).getList({ resource: 1 })
export const auth = [reactAdmin.authProvider(client).checkAuth({}), refine.authProvider(client).check()]
`
    assert.equal(await compiled('providers', code, { module: 'esnext', moduleResolution: 'bundler', skipLibCheck: true }), '')
  })
  test('every command but `serve` has a scenario', async () => {
    const names = (await commandPaths()).map((path) => path.join(' '))
    const leaves = names.filter((name) => !names.some((other) => other.startsWith(`${name} `)))
    const without = leaves.filter((name) => !SCENARIOS.some(({ line }) => `${line} `.startsWith(`${name} `)))
    assert.deepEqual(without, ['serve'])
  })

  for (const situation of ['without a server', 'beside a running server'] as const) {
    test(`every command gives the output of its scenario, ${situation}`, async () => {
      await using project = await copyFixture('blog')
      const isServed = situation === 'beside a running server'
      const admin = async (line: string, { stdin = '', interrupted = false } = {}) => {
        // Each start of the program takes a second of CPU time. Without a server, every command has one.
        if (isServed && !interrupted) return runCli(line.split(' '), { cwd: project.path, stdin })
        const child = execFile(process.execPath, [bin, ...line.split(' ')], {
          cwd: project.path,
          maxBuffer: Number.POSITIVE_INFINITY,
        })
        child.stdin?.end(stdin)
        const said = { stdout: '', stderr: '' }
        child.stdout?.on('data', (chunk) => (said.stdout += chunk))
        child.stderr?.on('data', (chunk) => (said.stderr += chunk))
        if (interrupted) child.stderr?.once('data', () => child.kill('SIGINT'))
        const [code] = await once(child, 'close')
        return { code, ...said }
      }
      // Creates the data folder with the seed records.
      assert.equal((await admin('import tag - --format csv --dry-run', { stdin: 'name,slug\n' })).code, 0)
      const server = isServed ? await startServer(['--no-rate-limit'], { bin, cwd: project.path }) : undefined
      let stopped: { readonly code: number | null } | undefined
      try {
        for (const { line, stdin = '', served, ...free } of SCENARIOS) {
          const { code = 0, stdout = /^$/, stderr = /^$/ } = (isServed ? served : undefined) ?? free
          const ended = await admin(line, { stdin, interrupted: isServed && served?.interrupted === true })
          assert.equal(ended.code, code, `admin ${line}: ${ended.stdout}${ended.stderr}`)
          assert.match(ended.stdout, stdout, `admin ${line}`)
          assert.match(ended.stderr, stderr, `admin ${line}`)
        }
      } finally {
        stopped = await server?.stop()
      }
      assert.equal(stopped?.code ?? 0, 0)
    })
  }
})
