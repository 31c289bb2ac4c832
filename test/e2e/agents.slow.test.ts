import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { runCli } from '../helpers/cli/cli.ts'
import { ADMIN_BIN, startServer } from '../helpers/cli/process.ts'
import { copyFixture } from '../helpers/fixture.ts'
import { connectAgent } from '../helpers/mcp/agent.ts'

const program = (cwd: string, args: readonly string[] = [], env: Record<string, string> = {}) =>
  new StdioClientTransport({ command: process.execPath, args: [ADMIN_BIN, 'mcp', ...args], cwd, env })

describe('agents of the built program', () => {
  test('work over stdio in a project, and on a server, and over HTTP', async () => {
    await using project = await copyFixture('blog')
    assert.equal((await runCli(['users', 'enable', 'anna.lind'], { cwd: project.path })).code, 0)
    {
      await using agent = await connectAgent(program(project.path))
      await agent.call('create_record', { model: 'tag', data: { name: 'Fog', slug: 'fog' } })
    }
    await using server = await startServer([], { cwd: project.path, env: { ADMIN_MCP: 'true' } })
    const token = (await runCli(['token'], { cwd: project.path })).stdout.trim()
    {
      await using agent = await connectAgent(program('/', ['--url', server.address], { ADMIN_TOKEN: token }))
      assert.equal((await agent.call('list_records', { model: 'tag', filters: ['slug=fog'] })).total, 1)
    }
    const requestInit = { headers: { authorization: `Bearer ${token}` } }
    await using agent = await connectAgent(new StreamableHTTPClientTransport(new URL(`${server.address}/mcp`), { requestInit }))
    assert.equal((await agent.call('search', { q: 'fog', model: 'tag' })).total, 1)
  })

  test('end with their agent, and by a signal', async () => {
    await using project = await copyFixture('minimal')
    const start = () => spawn(process.execPath, [ADMIN_BIN, 'mcp'], { cwd: project.path, stdio: ['pipe', 'pipe', 'inherit'] })
    const ended = async (child: ChildProcess) => (await once(child, 'close'))[0]
    const left = start()
    left.stdin.end()
    assert.equal(await ended(left), 0)
    const stopped = start()
    // It answers, so it has begun to listen for signals.
    stopped.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`)
    await once(stopped.stdout, 'data')
    stopped.kill('SIGTERM')
    assert.equal(await ended(stopped), 0)
  })
})
