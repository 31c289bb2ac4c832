import assert from 'node:assert/strict'
import { chmod, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { addressIn, runCli } from '../../helpers/cli.ts'
import { makeProject, type TemporaryFolder } from '../../helpers/fixture.ts'

const FILES = {
  'admin.config.yaml': 'port: 0\n',
  'models/note.yaml': 'name: Note\nfields:\n  - { name: text, type: string }\n',
}

describe('admin serve --ephemeral', () => {
  let project: TemporaryFolder
  let env: Record<string, string>
  const admin = (argv: readonly string[], whileRunning?: (stdout: string) => Promise<void>) =>
    runCli(argv, { cwd: project.path, env, ...(whileRunning && { whileRunning }) })

  beforeEach(async () => {
    project = await makeProject(FILES)
    const runtime = join(project.path, 'node_modules/runtime')
    await mkdir(runtime, { mode: 0o700 })
    env = { XDG_RUNTIME_DIR: runtime }
  })
  afterEach(() => project.remove())

  test('without users creates a superuser whose printed password works', async () => {
    const { code, stderr } = await admin(['serve', '--ephemeral'], async (stdout) => {
      const [, username = '', password = ''] = /^username: (\S+)\npassword: (\S{20})$/m.exec(stdout) ?? []
      const body = new URLSearchParams({ username, password })
      assert.equal((await fetch(`${addressIn(stdout)}/api/v1/auth/token`, { method: 'POST', body })).status, 200)
    })
    assert.equal(code, 0, stderr)
    assert.match(stderr, /Log in as admin/)
    assert.doesNotMatch(stderr, /password/)
  })

  test('with users in the seed records creates none', async () => {
    await project.remove()
    project = await makeProject({
      ...FILES,
      'seed/user.yaml': '- { username: ann, email: ann@example.com, password: a-good-password }\n',
    })
    const { stdout, stderr } = await admin(['serve', '--ephemeral'])
    assert.doesNotMatch(stdout, /password/)
    assert.match(stderr, /There is no superuser yet/)
  })

  test('is found by other commands, writes nothing into the project, and leaves nothing behind', async () => {
    await admin(['serve', '--ephemeral'], async (stdout) => {
      const { code, stdout: token } = await admin(['token'])
      assert.equal(code, 0)
      const authorization = `Bearer ${token.trim()}`
      const reply = await fetch(`${addressIn(stdout)}/api/v1/models/note`, { headers: { authorization } })
      assert.equal(reply.status, 200)
      assert.match((await admin(['users', 'list'])).stdout, /admin@example\.com/)
      const named = await admin(['token', '--user', 'admin'])
      assert.deepEqual([named.code, /leave --user out/.test(named.stderr)], [2, true])
      const second = await admin(['serve', '--ephemeral'])
      assert.equal(second.code, 0, 'a second server of the project')
    })
    assert.deepEqual((await readdir(project.path)).sort(), ['admin.config.yaml', 'models', 'node_modules', 'package.json'])
    assert.deepEqual(await readdir(env.XDG_RUNTIME_DIR ?? ''), [])
    assert.equal((await admin(['token'])).code, 1, 'a token without a server')
  })

  test('refuses a folder for its secret that others may read', async () => {
    await chmod(env.XDG_RUNTIME_DIR ?? '', 0o755)
    const { code, stderr } = await admin(['serve', '--ephemeral'])
    assert.equal(code, 1)
    assert.match(stderr, /Other users may read or own .*set XDG_RUNTIME_DIR/)
    await rm(env.XDG_RUNTIME_DIR ?? '', { recursive: true })
  })
})
