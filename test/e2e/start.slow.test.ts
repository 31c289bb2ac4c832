import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { addressIn } from '../helpers/cli/cli.ts'
import { temporaryFolder } from '../helpers/fixture.ts'

const ROOT = join(import.meta.dirname, '../..')

for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) {
  test(`npm start prints the demo account, and leaves no process behind after ${signal}`, { timeout: 60_000 }, async () => {
    await using data = await temporaryFolder()
    // Without scripts `npm start` does not build first, which would remove dist/ under the other tests.
    const argv = ['start', '--silent', '--ignore-scripts', '--', '--port', '0', '--data', data.path]
    const child = spawn('npm', argv, { cwd: ROOT, detached: true })
    const written = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].on('data', (chunk) => {
        written[name] += chunk
      })
    }
    const ended = once(child, 'close')
    while (!written.stdout.includes('Listening on') || !written.stderr.includes('Try it:')) {
      await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), ended.then(() => assert.fail(written.stderr))])
    }
    const address = addressIn(written.stdout)
    const [, username = '', password = ''] = /^Demo account: (\S+), password (\S+)$/m.exec(written.stderr) ?? []
    const body = new URLSearchParams({ username, password })
    assert.equal((await fetch(`${address}/api/v1/auth/token`, { method: 'POST', body })).status, 200)
    // A terminal sends its signals to the whole group; `kill` sends SIGTERM to npm alone.
    process.kill(signal === 'SIGTERM' ? Number(child.pid) : -Number(child.pid), signal)
    // The streams close when the last process that holds them has ended.
    await ended
    await assert.rejects(fetch(`${address}/healthz`))
  })
}
