import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { addressIn, type CliOptions, runCli } from '../../helpers/cli/cli.ts'
import { copyFixture, type TemporaryFolder, temporaryFolder } from '../../helpers/fixture.ts'

describe('admin serve --ephemeral', () => {
  let project: TemporaryFolder
  let runtime: TemporaryFolder

  const admin = (argv: readonly string[], options: Partial<CliOptions> = {}) =>
    runCli(argv, { cwd: project.path, env: { XDG_RUNTIME_DIR: runtime.path }, ...options })
  const serve = (whileRunning: CliOptions['whileRunning'] & {}, ...more: string[]) =>
    admin(['serve', '--port', '0', '--ephemeral', ...more], { terminal: true, whileRunning })
  const statusOf = async (stdout: string, token: string, path = 'auth/me') =>
    (await fetch(`${addressIn(stdout)}/api/v1/${path}`, { headers: { authorization: `Bearer ${token.trim()}` } })).status
  const runtimeFiles = () => readdirSync(join(runtime.path, 'admin-folder'))

  beforeEach(async () => {
    project = await copyFixture('minimal')
    runtime = await temporaryFolder()
  })
  afterEach(async () => {
    await project.remove()
    await runtime.remove()
  })

  test('adds a superuser with a printed password to a project without one, and writes nothing into it', async () => {
    const before = readdirSync(project.path)
    const { code, stderr } = await serve(async (stdout, said) => {
      const [, username = '', password = ''] = /^Log in as (\S+) with the password (\S{20}) /m.exec(said()) ?? []
      assert.equal(username, 'admin')
      const body = new URLSearchParams({ username, password })
      assert.equal((await fetch(`${addressIn(stdout)}/api/v1/auth/token`, { method: 'POST', body })).status, 200)
    })
    assert.equal(code, 0, stderr)
    assert.deepEqual(readdirSync(project.path), before)
    assert.deepEqual(runtimeFiles(), [])
  })

  test('does not write the password into a JSON log, and says how to get a token', async () => {
    const { stderr } = await serve(async () => {}, '--log-format', 'json')
    for (const line of stderr.trimEnd().split('\n')) assert.doesNotThrow(() => JSON.parse(line), line)
    assert.match(stderr, /Added the superuser admin, .* its password is not printed, .*`admin token` prints a token/)
    assert.doesNotMatch(stderr, /with the password/)
  })

  test('adds nothing to a project with a superuser', async () => {
    mkdirSync(join(project.path, 'seed'))
    const ann = '- { username: ann, email: ann@example.com, password: long-enough, is_superuser: true }\n'
    writeFileSync(join(project.path, 'seed/user.yaml'), ann)
    const { stderr } = await serve(async (_, said) => assert.match(said(), /; log in as ann$/m))
    assert.doesNotMatch(stderr, /with the password/)
  })

  test('admin token prints a token that works, from a private file outside the project', async () => {
    const { code, stderr } = await serve(async (stdout) => {
      const [name = ''] = runtimeFiles()
      assert.equal(statSync(join(runtime.path, 'admin-folder', name)).mode & 0o777, 0o600)
      assert.equal(statSync(join(runtime.path, 'admin-folder')).mode & 0o777, 0o700)
      const { access_token } = JSON.parse((await admin(['token', '--json'])).stdout)
      assert.equal(await statusOf(stdout, access_token), 200)
      assert.equal(await statusOf(stdout, (await admin(['token', '--user', 'admin'])).stdout), 200)
      const unknown = await admin(['token', '--user', 'nobody'])
      assert.deepEqual([unknown.code, unknown.stdout], [1, ''])
      assert.match(unknown.stderr, /There is no user 'nobody'/)
    })
    assert.equal(code, 0, stderr)
    const after = await admin(['token'])
    assert.match(after.stderr, /There is no data in /)
  })

  test('other commands work beside it, and --data means the folder', async () => {
    await serve(async () => {
      assert.match((await admin(['users', 'list'])).stdout, /\n1 +admin +/)
      assert.equal((await admin(['mock', 'note', '--count', '2'])).code, 0)
      assert.match((await admin(['reset', '--yes', '--accounts'])).stderr, /^This deletes 1 user record, /)
      assert.match((await admin(['users', 'list'])).stdout, /\n1 +admin +/)
      assert.match((await admin(['users', 'list', '--data', 'data'])).stderr, /There is no data in /)
    })
  })

  test('a token is sent only to a server that has the secret of the file', async () => {
    await serve(async () => {
      const path = join(runtime.path, 'admin-folder', runtimeFiles()[0] ?? '')
      const published = JSON.parse(readFileSync(path, 'utf8'))
      writeFileSync(path, JSON.stringify({ ...published, secret: 'another secret of thirty-two bytes' }))
      assert.match((await admin(['token'])).stderr, /is not this project's server/)
      writeFileSync(path, JSON.stringify({ ...published, pid: 2 ** 22 + 1 }))
      assert.match((await admin(['token'])).stderr, /There is no data in /)
    })
  })

  for (const [what, prepare] of [
    ['open to others', (path: string) => chmodSync(path, 0o755)],
    ['a link', undefined],
  ] as const) {
    test(`does not use a runtime folder that is ${what}`, async () => {
      const path = join(runtime.path, 'admin-folder')
      if (prepare === undefined) symlinkSync(project.path, path)
      else mkdirSync(path)
      prepare?.(path)
      const before = readdirSync(project.path)
      const { code, stderr } = await serve(async () => assert.deepEqual(readdirSync(project.path), before))
      assert.equal(code, 0)
      assert.match(stderr, /Commands cannot find the API: .* is not a private folder of this user/)
    })
  }
})
