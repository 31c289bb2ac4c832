import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { addressIn, runCli } from '../../helpers/cli/cli.ts'
import { copyFixture, type TemporaryFolder } from '../../helpers/fixture.ts'

describe('admin users and admin token', () => {
  let project: TemporaryFolder

  beforeEach(async () => {
    project = await copyFixture('minimal')
  })
  afterEach(() => project.remove())

  const admin = (argv: readonly string[], stdin?: string) =>
    runCli(argv, { cwd: project.path, ...(stdin === undefined ? {} : { stdin }) })
  const addAnn = (...more: string[]) =>
    admin(['users', 'add', 'ann', '--email', 'ann@example.com', '--password-stdin', ...more], 'long-enough\n')

  /** Serves the project and logs in; gives the status. */
  const login = async (username: string, password: string): Promise<number> => {
    let status = 0
    const served = await runCli(['serve', '--port', '0'], {
      cwd: project.path,
      async whileRunning(stdout) {
        const body = new URLSearchParams({ username, password })
        status = (await fetch(`${addressIn(stdout)}/api/v1/auth/token`, { method: 'POST', body })).status
      },
    })
    assert.equal(served.code, 0)
    return status
  }

  test('add creates a user who can log in', async () => {
    assert.deepEqual(await addAnn(), { code: 0, stdout: '', stderr: "Added user 'ann' with ID 1\n" })
    assert.equal(await login('ann', 'long-enough'), 200)
    assert.equal(await login('ann', 'something-else'), 401)
  })

  test('add --no-password creates a user who cannot log in, until passwd sets one', async () => {
    const added = await admin(['users', 'add', 'ci', '--email', 'ci@example.com', '--no-password'])
    assert.deepEqual(added, { code: 0, stdout: '', stderr: "Added user 'ci' with ID 1\n" })
    assert.equal(await login('ci', 'null'), 401)
    assert.equal((await admin(['users', 'passwd', 'ci', '--password-stdin'], 'long-enough\n')).code, 0)
    assert.equal(await login('ci', 'long-enough'), 200)
  })

  test('add validates the user and reports every fault', async () => {
    const { code, stderr } = await admin(['users', 'add', 'a', '--email', 'nowhere', '--password-stdin'], 'short')
    assert.equal(code, 1)
    assert.deepEqual(stderr.trimEnd().split('\n'), [
      'error username must be at least 2 characters long',
      'error email format is invalid',
      'error password must be at least 8 characters long',
    ])
  })

  test('add rejects an existing name', async () => {
    await addAnn()
    const { code, stderr } = await admin(['users', 'add', 'ann', '--email', 'b@example.com', '--password-stdin'], 'long-enough')
    assert.equal(code, 1)
    assert.equal(stderr, 'error username must be unique\n')
  })

  test('add without a terminal asks for --password-stdin', async () => {
    const { code, stderr } = await admin(['users', 'add', 'ann', '--email', 'ann@example.com'])
    assert.equal(code, 2)
    assert.match(stderr, /use --password-stdin/)
  })

  test('list shows a table, or JSON without passwords', async () => {
    await addAnn('--superuser')
    const shown = await admin(['users', 'list'])
    assert.equal(shown.stdout, 'ID  USERNAME  EMAIL            ACTIVE  SUPERUSER\n1   ann       ann@example.com  yes     yes\n')
    const [user, ...others] = JSON.parse((await admin(['users', 'list', '--json'])).stdout) as Record<string, unknown>[]
    assert.equal(user?.username, 'ann')
    assert.equal('password' in (user ?? {}), false)
    assert.deepEqual(others, [])
  })

  test('passwd changes the password', async () => {
    await addAnn()
    assert.equal((await admin(['users', 'passwd', 'ann', '--password-stdin'], 'brand-new-one')).code, 0)
    assert.equal(await login('ann', 'long-enough'), 401)
    assert.equal(await login('ann', 'brand-new-one'), 200)
  })

  test('disable keeps a user out, enable lets them in again', async () => {
    await addAnn()
    assert.equal((await admin(['users', 'disable', 'ann'])).code, 0)
    assert.equal(await login('ann', 'long-enough'), 401)
    const token = await admin(['token', '--user', 'ann'])
    assert.equal(token.code, 1)
    assert.match(token.stderr, /'ann' is disabled/)
    assert.equal((await admin(['users', 'enable', 'ann'])).code, 0)
    assert.equal(await login('ann', 'long-enough'), 200)
  })

  test('an unknown user is named', async () => {
    for (const argv of [
      ['users', 'passwd', 'bob', '--password-stdin'],
      ['users', 'disable', 'bob'],
      ['token', '--user', 'bob'],
    ]) {
      const { code, stderr } = await admin(argv, 'long-enough')
      assert.equal(code, 1)
      assert.match(stderr, /There is no user 'bob'; see `admin users list`/)
    }
  })

  test('token prints the token of the first superuser and nothing else', async () => {
    await addAnn('--superuser')
    const { code, stdout, stderr } = await admin(['token'])
    assert.equal(code, 0)
    assert.equal(stderr, '')
    assert.match(stdout, /^[\w-]+\.[\w-]+\.[\w-]+\n$/)
    const { access_token } = JSON.parse((await admin(['token', '--json'])).stdout) as { access_token: string }
    assert.match(access_token, /^[\w-]+\.[\w-]+\.[\w-]+$/)
  })

  test('token without a superuser says how to add one', async () => {
    await addAnn()
    const { code, stdout, stderr } = await admin(['token'])
    assert.equal(code, 1)
    assert.equal(stdout, '')
    assert.match(stderr, /There is no superuser yet; add one: admin users add/)
  })

  for (const argv of [
    ['token'],
    ['token', '--user', 'ann'],
    ['token', '--json'],
    ['users', 'list'],
    ['users', 'list', '--json'],
  ]) {
    test(`${argv.join(' ')} on a project without data fails and creates nothing`, async () => {
      const before = (await readdir(project.path)).sort()
      const { code, stdout, stderr } = await admin(argv)
      assert.equal(code, 1)
      assert.equal(stdout, '')
      assert.equal(
        stderr,
        `error There is no data in ${join(project.path, 'data')} yet; start \`admin serve\` once to create it\n`,
      )
      assert.deepEqual((await readdir(project.path)).sort(), before)
    })
  }
})
