import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressIn, runCli } from '../../helpers/cli/cli.ts'
import { copyFixture } from '../../helpers/fixture.ts'
import { codeAt } from '../../helpers/totp.ts'

const ANN = { username: 'ann', password: 'long-enough' }

test('admin users reset-2fa removes the second factor and the sessions of a user, beside a server', async () => {
  const project = await copyFixture('minimal')
  try {
    const admin = (argv: readonly string[]) => runCli(argv, { cwd: project.path, stdin: `${ANN.password}\n` })
    await admin(['users', 'add', 'ann', '--email', 'ann@example.com', '--superuser', '--password-stdin'])
    const none = await admin(['users', 'reset-2fa', 'ann'])
    assert.deepEqual([none.code, none.stderr], [0, "'ann' has no second factor\n"])
    assert.match((await admin(['users', 'reset-2fa', 'bob'])).stderr, /There is no user 'bob'/)
    const work = async (url: string) => {
      const post = async (path: string, body: object, token?: string) => {
        const headers = {
          'content-type': 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        }
        const response = await fetch(`${url}/api/v1/auth/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
        // biome-ignore lint/suspicious/noExplicitAny: a parse boundary
        return { status: response.status, json: (await response.json()) as any }
      }
      const { access_token: token } = (await post('token', ANN)).json
      const { secret } = (await post('factors/totp', {}, token)).json.data
      assert.equal((await post('factors/totp/confirm', { otp: codeAt(secret, Date.now()) }, token)).status, 200)
      assert.deepEqual((await post('token', ANN)).json.second_factor, { methods: ['totp', 'recovery'] })
      const { code, stderr } = await admin(['users', 'reset-2fa', 'ann'])
      assert.deepEqual([code, stderr], [0, "Removed 1 second factor of 'ann', with the recovery codes and all sessions\n"])
      assert.equal((await post('token', ANN)).status, 200)
      const { status } = await fetch(`${url}/api/v1/auth/me`, { headers: { authorization: `Bearer ${token}` } })
      assert.equal(status, 401)
    }
    const run = runCli(['serve', '--port', '0'], { cwd: project.path, whileRunning: (out) => work(addressIn(out)) })
    assert.equal((await run).code, 0)
  } finally {
    await project.remove()
  }
})
