import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from '../helpers/cli/process.ts'
import { copyFixture } from '../helpers/fixture.ts'

const REQUESTS = 500

test('a stopped process has written its log completely', async () => {
  await using project = await copyFixture('minimal')
  const server = await startServer(['--project', project.path], { env: { ADMIN_LOG__LEVEL: 'debug' } })
  const ask = () => fetch(`${server.address}/healthz`).then((response) => response.text())
  for (let done = 0; done < REQUESTS; done += 50) await Promise.all(Array.from({ length: 50 }, ask))
  const { code, stderr } = await server.stop('SIGTERM')
  assert.equal(code, 0)
  assert.ok(stderr.endsWith('}\n'), 'the last line is incomplete')
  const lines = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.equal(lines.filter(({ route }) => route === '/healthz').length, REQUESTS)
  assert.equal(lines.at(-1).msg, 'SIGTERM: finishing open requests')
})
