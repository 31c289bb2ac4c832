import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { addressIn, runCli } from '../../helpers/cli/cli.ts'
import { copyFixture, ROOT, type TemporaryFolder } from '../../helpers/fixture.ts'

describe('admin serve', () => {
  let project: TemporaryFolder

  beforeEach(async () => {
    project = await copyFixture('blog')
  })
  afterEach(() => project.remove())

  test('prints one line to stdout and the rest to stderr', async () => {
    const { code, stdout, stderr } = await runCli(['serve', '--port', '0'], { cwd: project.path, terminal: true })
    assert.equal(code, 0)
    assert.match(stdout, /^Listening on http:\/\/127\.0\.0\.1:\d+\n$/)
    assert.match(stderr, /^9 models and 16 views from /m)
    assert.match(stderr, /\(198 records from 8 seed files\)/)
    assert.match(stderr, /^Documentation at http:\/\/127\.0\.0\.1:\d+\/docs; log in as admin$/m)
    assert.doesNotMatch(stderr, /eyJ/)
  })

  test('prints the address of the admin page, if it was built, and --open opens it', async () => {
    const page = existsSync(join(ROOT, 'dist/ui/index.html'))
    const opened: string[] = []
    const { code, stdout, stderr } = await runCli(['serve', '--port', '0', '--host', '0.0.0.0', '--open'], {
      cwd: project.path,
      terminal: true,
      async openBrowser(address) {
        opened.push(address)
      },
    })
    assert.equal(code, 0)
    const address = addressIn(stdout).replace('0.0.0.0', '127.0.0.1')
    assert.deepEqual(opened, [page ? `${address}/admin/` : `${address}/docs`])
    const line = page ? `Admin page at ${address}/admin/` : /^Warning: The admin page was not built .*npm run build/m
    if (typeof line === 'string') assert.ok(stderr.includes(`\n${line}\n`), stderr)
    else assert.match(stderr, line)
  })

  test('opens no browser without --open', async () => {
    const openBrowser = () => assert.fail('a browser was opened')
    assert.equal((await runCli(['serve', '--port', '0'], { cwd: project.path, openBrowser })).code, 0)
  })

  test('serves on when no browser can be opened, and says so in one line', async () => {
    let status = 0
    const { code, stderr } = await runCli(['serve', '--port', '0', '--open'], {
      cwd: project.path,
      terminal: true,
      async openBrowser(address) {
        throw new Error(`No browser could be opened (spawn xdg-open ENOENT); open ${address} yourself`)
      },
      async whileRunning(stdout) {
        status = (await fetch(`${addressIn(stdout)}/healthz`)).status
      },
    })
    assert.deepEqual([code, status], [0, 200])
    assert.match(stderr, /^Warning: No browser could be opened \(spawn xdg-open ENOENT\); open http:\/\/\S+ yourself$/m)
  })

  test('--show-token prints a curl command that works as it is', async () => {
    let status = 0
    let total = 0
    const result = await runCli(['serve', '--port', '0', '--show-token'], {
      cwd: project.path,
      async whileRunning(_, stderr) {
        const [, token = '', url = ''] = /^curl -H 'Authorization: Bearer (\S+)' '(\S+)'$/m.exec(stderr()) ?? []
        const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
        status = response.status
        total = ((await response.json()) as { total: number }).total
      },
    })
    assert.equal(result.code, 0)
    assert.equal(status, 200)
    assert.ok(total > 0)
  })

  test('--debug logs the query plan of each list', async () => {
    let model = ''
    const { code, stderr } = await runCli(['--debug', 'serve', '--port', '0', '--show-token'], {
      cwd: project.path,
      async whileRunning(_, stderr) {
        const [, token = '', url = ''] = /^curl -H 'Authorization: Bearer (\S+)' '(\S+)\?/m.exec(stderr()) ?? []
        model = url.split('/').at(-1) ?? ''
        await fetch(`${url}?filters=id__gt=0`, { headers: { authorization: `Bearer ${token}` } })
      },
    })
    assert.equal(code, 0)
    assert.match(stderr, new RegExp(`^list ${model}: scan → \\d+ of \\d+; order id$`, 'm'))
  })

  test('seeds only the first start', async () => {
    await runCli(['serve', '--port', '0'], { cwd: project.path })
    const { stderr } = await runCli(['serve', '--port', '0'], { cwd: project.path })
    assert.doesNotMatch(stderr, /seed files/)
  })

  test('builds the search indexes after it listens; other commands do not', async () => {
    let said = ''
    await runCli(['--debug', 'serve', '--port', '0'], {
      cwd: project.path,
      async whileRunning(_, stderr) {
        for (let turn = 0; turn < 100_000 && !stderr().includes('search permission:'); turn++) {
          await new Promise((resolve) => setImmediate(resolve))
        }
        said = stderr()
      },
    })
    assert.match(said, /search user: an index of \d+ records/)
    assert.match(said, /search permission: an index of [1-9]\d* records/)
    assert.doesNotMatch((await runCli(['--debug', 'token'], { cwd: project.path })).stderr, /search/)
  })

  test('says so when the port is taken: exit 1', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    try {
      const { code, stdout, stderr } = await runCli(['serve', '--port', String(port)], { cwd: project.path })
      assert.equal(code, 1)
      assert.equal(stdout, '')
      assert.match(stderr, new RegExp(`Port ${port} of 127\\.0\\.0\\.1 is in use; .*--port`))
    } finally {
      other.close()
    }
  })

  test('rejects a data folder that another server holds: exit 1 with the process id; admin token still works', async () => {
    await runCli(['serve', '--port', '0'], {
      cwd: project.path,
      async whileRunning() {
        const second = await runCli(['serve', '--port', '0'], { cwd: project.path })
        assert.equal(second.code, 1)
        assert.match(second.stderr, new RegExp(`in use by process ${process.pid}\\b`))
        assert.equal((await runCli(['token'], { cwd: project.path })).code, 0)
      },
    })
  })

  test('flags override the environment, and the environment overrides the file', async () => {
    const env = { ADMIN_HOST: '127.0.0.2', ADMIN_DATA: join(project.path, 'elsewhere') }
    const { stdout, stderr } = await runCli(['serve', '--port', '0', '--host', '127.0.0.1'], { cwd: project.path, env })
    assert.match(addressIn(stdout), /^http:\/\/127\.0\.0\.1:/)
    assert.match(stderr, /Data in .*\/elsewhere /)
  })

  test('warns of variables that look misspelt', async () => {
    const env = { ADMIN_PROT: '1', ADMIN_EMAIL: 'admin@example.com' }
    const { code, stderr } = await runCli(['serve', '--port', '0'], { cwd: project.path, env, terminal: true })
    assert.equal(code, 0)
    assert.match(stderr, /^Warning: ADMIN_PROT is not a setting; did you mean ADMIN_PORT\?$/m)
    assert.doesNotMatch(stderr, /ADMIN_EMAIL/)
  })

  test('--cors lets a front end call', async () => {
    const origin = 'http://localhost:5173'
    let allowed: string | null = null
    let refused: string | null = 'unknown'
    await runCli(['serve', '--port', '0', '--cors', origin], {
      cwd: project.path,
      async whileRunning(stdout) {
        const views = `${addressIn(stdout)}/admin/api/v1/views/`
        allowed = (await fetch(views, { headers: { origin } })).headers.get('access-control-allow-origin')
        refused = (await fetch(views, { headers: { origin: 'http://evil.example' } })).headers.get('access-control-allow-origin')
      },
    })
    assert.equal(allowed, origin)
    assert.equal(refused, null)
  })
})
