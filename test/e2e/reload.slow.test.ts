import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { startReceiver } from '../helpers/api/receiver.ts'
import { type CliResult, runCli } from '../helpers/cli/cli.ts'
import { type RunningServer, startServer } from '../helpers/cli/process.ts'
import { repetitions } from '../helpers/counts.ts'
import { makeProject, type TemporaryFolder } from '../helpers/fixture.ts'

const BOUND = { timeout: 120_000 }
const NOTES = '/api/v1/models/note'

const model = (label: string) => `name: Note\nlabel: ${label}\nfields:\n  - { name: title, type: string, required: true }\n`
const PROJECT = {
  'models/note.yaml': model('Notes'),
  'models/task.ts':
    "import { label } from '../lib/words.ts'\n\nexport default { name: 'Task', label, fields: [{ name: 'title', type: 'string' }] }\n",
  'lib/words.ts': "export const label: string = 'Tasks'\n",
  'package.json': '{ "type": "module" }\n',
  'seed/note.yaml': '- { title: First }\n- { title: Second }\n',
  'seed/user.yaml': '- { username: root, email: r@example.com, password: long-enough, is_superuser: true, is_active: true }\n',
}

describe('the running server process', () => {
  let project: TemporaryFolder
  let server: RunningServer

  const write = (name: string, text: string) => writeFile(join(project.path, name), text)
  const admin = (...argv: readonly string[]): Promise<CliResult> => runCli(argv, { cwd: project.path })
  const serve = async (...args: readonly string[]) => {
    server = await startServer(['--project', project.path, '--log-format', 'text', ...args])
  }
  const labels = async (): Promise<string[]> => {
    const document = (await (await fetch(`${server.address}/api/v1/openapi.json`)).json()) as { tags: { description: string }[] }
    return document.tags.map(({ description }) => description)
  }
  const token = async () => (await admin('token')).stdout.trim()
  const notes = async (bearer: string, init: RequestInit = {}): Promise<Response> =>
    fetch(server.address + NOTES, { ...init, headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' } })
  const post = (path: string, body: object, bearer = ''): Promise<Response> =>
    fetch(server.address + path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...(bearer === '' ? {} : { authorization: `Bearer ${bearer}` }) },
    })
  const count = async (bearer: string): Promise<number> => ((await (await notes(bearer)).json()) as { total: number }).total

  beforeEach(async () => {
    project = await makeProject(PROJECT)
  })
  afterEach(async () => {
    await server.stop()
    await project.remove()
  })

  test('--watch reloads changed, new, renamed and removed files, and imported modules', BOUND, async () => {
    await serve('--watch')
    assert.ok((await labels()).includes('Tasks'), 'a model in TypeScript')
    await write('models/.note.yaml.tmp', model('Remarks'))
    await rename(join(project.path, 'models/.note.yaml.tmp'), join(project.path, 'models/note.yaml'))
    await server.said('models/note.yaml changed')
    assert.ok((await labels()).includes('Remarks'), 'saved by renaming, as editors do')
    await write('lib/words.ts', "export const label: string = 'Errands'\n")
    await server.said('lib/words.ts changed')
    assert.ok((await labels()).includes('Errands'), 'a module that a model imports')
    await mkdir(join(project.path, 'views'))
    await write('views/note.yaml', 'name: NoteForm\nview_type: form\nmodel: Note\nfields: [{ name: title }]\n')
    await server.said('views/note.yaml changed')
    const views = async () => (await fetch(`${server.address}/admin/api/v1/views/`)).text()
    assert.match(await views(), /NoteForm/)
    await rm(join(project.path, 'models/task.ts'))
    await server.said('models/task.ts changed')
    assert.ok(!(await labels()).includes('Errands'), 'a removed model')
  })

  test('--watch continues with the previous version, reports every fault, and reports when they are fixed', BOUND, async () => {
    await serve('--watch')
    const bearer = await token()
    await write('models/note.yaml', `${model('Notes')}  - { name: text, type: txt }\n  - { name: body, type: text, lenght: 3 }\n`)
    await server.said('cannot be loaded')
    assert.equal((await notes(bearer, { method: 'POST', body: '{"data":{"title":"Third"}}' })).status, 201)
    await write('models/note.yaml', model('Remarks'))
    await server.said('The faults are fixed; reloaded in ')
    assert.equal(await count(bearer), 3)
    await write('admin.config.yaml', 'data: elsewhere\nvalidation_status: 422\n')
    await server.said('until the server is restarted')
    await server.said('admin.config.yaml changed')
    assert.equal((await notes(bearer, { method: 'POST', body: '{"data":{}}' })).status, 422)
    const { stderr } = await server.stop()
    assert.match(stderr, /^Error: models\/note\.yaml:5:25: .*'txt'/m)
    assert.match(stderr, /^Error: models\/note\.yaml:6:\d+: .*lenght/m)
    assert.match(stderr, /^Warning: 'data' stays data until the server is restarted/m)
  })

  test('--watch reads again what a module reads from a file, and what a missing module has become', BOUND, async () => {
    const source =
      "import { readFileSync } from 'node:fs'\nconst label = readFileSync(new URL('../lib/words.json', import.meta.url), 'utf8')\n"
    await write('lib/words.json', 'First')
    await write(
      'models/task.ts',
      `${source}export default { name: 'Task', label, fields: [{ name: 'title', type: 'string' }] }\n`,
    )
    await serve('--watch')
    assert.ok((await labels()).includes('First'))
    await write('lib/words.json', 'Second')
    await server.said('lib/words.json changed')
    assert.ok((await labels()).includes('Second'))
    await write(
      'models/task.ts',
      `import { more } from '../lib/more.ts'\n${source}export default { name: 'Task', label: label + more, fields: [] }\n`,
    )
    await server.said('cannot be loaded')
    await write('lib/more.ts', "export const more: string = ' and third'\n")
    await server.said('The faults are fixed')
    assert.ok((await labels()).includes('Second and third'))
  })

  for (const { type, reloads, faulty } of [
    { type: 'module', reloads: repetitions(25, 200), faulty: repetitions(5, 50) },
    { type: 'commonjs', reloads: repetitions(25, 50), faulty: 5 },
  ]) {
    const title = `${reloads} reloads (${type}) load packages once and leave no memory behind`
    test(`${title}, and ${faulty} of a faulty file keep the old code`, {
      timeout: 600_000,
    }, async () => {
      const report = `declare const gc: () => void
gc()
console.error('heap', process.memoryUsage().heapUsed, 'loads', Reflect.get(globalThis, 'loads'), 'end')
`
      const task = (label: string, extra = '') =>
        `import { size } from 'large'\n${extra}export default { name: 'Task', label: '${label}', size: undefined, fields: [{ name: 'title', type: 'string' }, { name: 'a', type: 'integer', lte: size }] }\n`.replace(
          ' size: undefined,',
          '',
        )
      await write('package.json', JSON.stringify({ type }))
      await mkdir(join(project.path, 'node_modules/large'))
      const entry = type === 'module' ? 'export const size = list.length' : 'exports.size = list.length'
      await write('node_modules/large/package.json', JSON.stringify({ name: 'large', type, main: 'index.js' }))
      const items = Array.from(
        { length: 30_000 },
        (_, i) => `{ id: ${i}, name: 'A name that takes some room ${i}', text: 'and more text to fill ${i}' },`,
      )
      await write(
        'node_modules/large/index.js',
        `globalThis.loads = (globalThis.loads ?? 0) + 1\nconst list = [\n${items.join('\n')}\n]\n${entry}\n`,
      )
      for (let i = 0; i < 18; i++) {
        await write(
          `models/m${i}.ts`,
          `import { size } from 'large'\nexport default { name: 'M${i}', fields: [{ name: 'a', type: 'integer', lte: size }] }\n`,
        )
      }
      await write('models/task.ts', task('Tasks', report))
      server = await startServer(['--project', project.path, '--log-format', 'text', '--watch'], { execArgv: ['--expose-gc'] })
      let said = ''
      server.child.stderr?.on('data', (chunk) => {
        said += chunk
      })
      const until = async (pattern: RegExp) => {
        while (!pattern.test(said)) await once(server.child.stderr as Readable, 'data')
      }
      const heaps: number[] = []
      for (let i = 0; i < reloads; i++) {
        said = ''
        await write('models/task.ts', task(`Tasks ${i}`, report))
        await until(/eloaded in \d+ ms/)
        const [, heap, loads] = /heap (\d+) loads (\d+) end/.exec(said) ?? []
        assert.equal(loads, '1')
        heaps.push(Number(heap))
      }
      // No module has changed, so all but packages are imported again.
      said = ''
      await write('models/note.yaml', model('Remarks'))
      await until(/eloaded in \d+ ms/)
      assert.match(said, /heap \d+ loads 1 end/)
      const last = `Tasks ${reloads - 1}`
      assert.ok((await labels()).includes(last))
      const [first = 0] = heaps
      assert.ok((heaps.at(-1) ?? 0) - first <= reloads * 100_000, `the heap grew from ${first} to ${heaps.at(-1)}`)
      for (let i = 0; i < faulty; i++) {
        said = ''
        await write('models/task.ts', task('New', `${' '.repeat(i + 1)}throw new Error('boom')\n`))
        await until(/cannot be loaded; the server continues/)
        assert.ok((await labels()).includes(last))
      }
      // A file that was read while it was written is a fault that was fixed before.
      said = ''
      await write('models/task.ts', task('Fixed'))
      await until(/The faults are fixed/)
      assert.ok((await labels()).includes('Fixed'))
    })
  }

  test('--watch serves a file that is saved during the start', BOUND, async () => {
    const save = `import { existsSync, writeFileSync } from 'node:fs'
const at = (name: string): URL => new URL(name, import.meta.url)
// note.yaml is read before this module runs.
if (!existsSync(at('saved'))) writeFileSync(at('note.yaml'), ${JSON.stringify(model('Remarks'))})
writeFileSync(at('saved'), '')
`
    await write('models/task.ts', `${save}${PROJECT['models/task.ts']}`)
    await serve('--watch')
    await server.said('models/note.yaml')
    assert.ok((await labels()).includes('Remarks'), 'the new content was not read')
  })

  test('--watch continues to deliver webhooks if the lock file cannot be written', BOUND, async () => {
    await using receiver = await startReceiver()
    const config = (version: string) => `api_version: ${version}\nwebhooks: [{ url: '${receiver.url}' }]\n`
    await write('admin.config.yaml', config('v1'))
    await serve('--watch')
    const bearer = await token()
    await rm(join(project.path, 'data/lock'))
    await mkdir(join(project.path, 'data/lock/taken'), { recursive: true })
    await write('models/note.yaml', model('Remarks'))
    await server.said('models/note.yaml changed')
    await write('admin.config.yaml', config('v2'))
    await server.said('Commands cannot find the API')
    assert.equal((await post('/api/v2/models/note', { data: { title: 'Third' } }, bearer)).status, 201)
    await receiver.arrived(1)
    await rm(join(project.path, 'data/lock'), { recursive: true })
    const { stderr } = await server.stop()
    assert.equal(stderr.split('Commands cannot find the API').length, 2, 'only a changed API address is reported')
  })

  test('--watch --ephemeral keeps the records in memory, and the tokens', BOUND, async () => {
    await serve('--watch', '--ephemeral')
    const login = await post('/api/v1/auth/token', { username: 'root', password: 'long-enough' })
    const { access_token: bearer } = (await login.json()) as { access_token: string }
    assert.equal((await notes(bearer, { method: 'POST', body: '{"data":{"title":"Third"}}' })).status, 201)
    await write('models/note.yaml', model('Remarks'))
    await server.said('models/note.yaml changed')
    assert.equal(await count(bearer), 3)
    await rename(join(project.path, 'models/note.yaml'), join(project.path, 'note.away'))
    await rename(join(project.path, 'seed/note.yaml'), join(project.path, 'seed.away'))
    await server.said('seed/note.yaml changed')
    assert.equal((await notes(bearer)).status, 404)
    await rename(join(project.path, 'note.away'), join(project.path, 'models/remark.yaml'))
    await server.said('models/remark.yaml changed')
    assert.equal(await count(bearer), 3)
    const refused = await post('/api/v1/snapshots', { name: 'x' }, bearer)
    assert.equal(refused.status, 400)
    assert.match(await refused.text(), /This server writes nothing/)
    assert.equal((await post('/api/v1/reset', { seed_data: true }, bearer)).status, 200)
    assert.equal(await count(bearer), 0, 'accounts stay, and their sessions')
    assert.equal((await post('/api/v1/reset', { accounts: true }, bearer)).status, 200)
    assert.equal((await notes(bearer)).status, 401)
    assert.ok(!(await readdir(project.path)).includes('data'), 'nothing is written')
  })

  test('faulty seed records are reported, and nothing is deleted', BOUND, async () => {
    await serve()
    await write('seed/note.yaml', '- { title: First }\n- { titel: Second }\n')
    const { code, stdout, stderr } = await admin('reset', '--yes', '--seed-data')
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, /^error seed\/note\.yaml:2:\d+: .*'titel'/m)
    assert.equal(await count(await token()), 2)
    await server.stop()
    const alone = await admin('reset', '--yes', '--seed-data')
    assert.deepEqual(alone, { code, stdout, stderr }, 'the same as without a server')
  })

  test('snapshots and resets work beside the server', BOUND, async () => {
    await serve()
    const bearer = await token()
    assert.match((await admin('snapshot', 'save', 'before')).stderr, /^Saved 'before' \(\d+ bytes\)$/m)
    assert.equal((await notes(bearer, { method: 'POST', body: '{"data":{"title":"Third"}}' })).status, 201)
    const listed = JSON.parse((await admin('snapshot', 'list', '--json')).stdout) as { name: string }[]
    assert.deepEqual(
      listed.map(({ name }) => name),
      ['before'],
    )
    assert.deepEqual(await admin('snapshot', 'save', 'before'), {
      code: 1,
      stdout: '',
      stderr: "error The snapshot 'before' already exists; --force overwrites it\n",
    })
    for (const command of ['save', 'load']) assert.equal((await admin('snapshot', command, '../x')).code, 2)
    assert.match((await admin('snapshot', 'load', 'before', '--yes')).stderr, /^Loaded 'before' \(\d+ bytes\)$/m)
    assert.equal(await count(bearer), 2)
    assert.deepEqual(await admin('reset', '--yes', '--seed-data', '--json'), {
      code: 0,
      stdout: '{"seeded":2}\n',
      stderr:
        'This deletes 2 note records; accounts stay (--accounts deletes them, too)\nDeleted 2 note records; created 2 seed records\n',
    })
    assert.equal(await count(bearer), 2)
    const lock = JSON.parse(await readFile(join(project.path, 'data/lock'), 'utf8')) as { pid: number; api: string }
    assert.deepEqual([lock.pid, lock.api], [server.child.pid, `${server.address}/api/v1`])
    assert.equal((await admin('compact')).code, 1, 'the folder is still in use')
    assert.equal((await admin('reset', '--yes', '--accounts')).code, 0)
    assert.equal((await notes(bearer)).status, 401)
  })
})
