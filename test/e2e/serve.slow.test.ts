import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { listen, open } from '../helpers/api/raw.ts'
import { runCli } from '../helpers/cli/cli.ts'
import { type RunningServer, startServer } from '../helpers/cli/process.ts'
import { copyFixture, type TemporaryFolder } from '../helpers/fixture.ts'

interface Reply {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a parse boundary; each test knows the shape of its response
  readonly json: any
}

describe('the server process, over HTTP', () => {
  let project: TemporaryFolder
  let server: RunningServer
  let token = ''

  before(async () => {
    project = await copyFixture('blog')
    server = await startServer(['--project', project.path])
  })
  after(async () => {
    await server.stop()
    await project.remove()
  })

  async function call(method: string, path: string, body?: unknown): Promise<Reply> {
    const headers: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` }
    if (body !== undefined) headers['content-type'] = 'application/json'
    const response = await fetch(`${server.address}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, headers: response.headers, json: await response.json() }
  }

  const TAGS = '/api/v1/models/tag'

  test('requests need a token, and a login returns one', async () => {
    assert.equal((await call('GET', TAGS)).status, 401)
    const login = await call('POST', '/api/v1/auth/token', { username: 'admin', password: 'harbour-admin-2024' })
    assert.equal(login.status, 200)
    token = login.json.access_token
    assert.equal((await call('GET', '/api/v1/auth/me')).json.data.username, 'admin')
  })

  test('1 create, 3 read, 4 update, 5 delete', async () => {
    const created = await call('POST', TAGS, { data: { name: 'Lanterns', slug: 'lanterns' }, form_id: 'TagForm' })
    assert.equal(created.status, 201)
    const { id } = created.json.data
    assert.equal(created.headers.get('location'), `${TAGS}/${id}`)
    assert.deepEqual((await call('GET', `${TAGS}/${id}`)).json.data, created.json.data)

    const updated = await call('PUT', `${TAGS}/${id}/`, { data: { name: 'Lighthouse lamps' } })
    assert.equal(updated.status, 200)
    assert.deepEqual(updated.json.data, { ...created.json.data, name: 'Lighthouse lamps' })

    const deleted = await call('DELETE', `${TAGS}/${id}`)
    assert.deepEqual(deleted.json, { message: 'Record deleted successfully', data: updated.json.data })
    assert.equal((await call('GET', `${TAGS}/${id}`)).status, 404)
  })

  test('2 list', async () => {
    const { status, json } = await call('GET', '/api/v1/models/post/?filters=status=draft&sort_by=title&page_size=2&fields=title')
    assert.equal(status, 200)
    assert.equal(json.data.length, 2)
    assert.deepEqual(
      { ...json, data: [] },
      { data: [], total: 5, page: 1, page_size: 2, total_pages: 3, has_next: true, has_prev: false },
    )
  })

  test('6 bulk create, 7 bulk update, 8 bulk delete', async () => {
    const records = ['one', 'two', 'three'].map((name) => ({ name: `Bulk ${name}`, slug: `bulk-${name}` }))
    const created = await call('POST', `${TAGS}/bulk`, { records })
    assert.equal(created.status, 201)
    const ids: number[] = created.json.data.map((record: { id: number }) => record.id)
    const updates = ids.map((id) => ({ id, data: { color: '#0055aa' } }))
    const updated = await call('PUT', `${TAGS}/bulk`, { updates })
    assert.deepEqual(
      updated.json.data.map((record: { color: string }) => record.color),
      ['#0055aa', '#0055aa', '#0055aa'],
    )
    const deleted = await call('DELETE', `${TAGS}/bulk`, { ids })
    assert.equal(deleted.json.message, '3 records deleted successfully')
  })

  test('13 all views, 14 views of a model', async () => {
    const all = await call('GET', '/admin/api/v1/views/')
    assert.equal(all.status, 200)
    const ofComment = await call('GET', '/admin/api/v1/views/comment/')
    assert.deepEqual(ofComment.json, { data: all.json.data.comment })
    assert.ok(ofComment.json.data.every((view: { model: string }) => view.model === 'Comment'))
  })

  test('a body over the limit is rejected, and the server continues', async () => {
    const large = await call('POST', TAGS, { data: { name: 'x'.repeat(11 * 1024 * 1024) } })
    assert.equal(large.status, 413)
    assert.equal((await call('GET', TAGS)).status, 200)
  })
})

describe('stopping the server process', () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    test(`${signal}: an open request finishes, its record is on disk, the lock is gone, exit 0`, async () => {
      await using project = await copyFixture('minimal')
      const db = join(project.path, 'data/db.json')
      await runCli(['users', 'add', 'ann', '--email', 'a@example.com', '--superuser', '--password-stdin'], {
        cwd: project.path,
        stdin: 'long-enough',
      })
      const { stdout: token } = await runCli(['token'], { cwd: project.path })
      const server = await startServer(['--project', project.path])
      const open = await openRequest(`${server.address}/api/v1/models/note`, token.trim())
      const stopped = server.stop(signal)
      await server.said(`${signal}: finishing open requests`)
      assert.equal(await open.finish(JSON.stringify({ data: { title: 'Just in time' } })), 201)
      assert.equal((await stopped).code, 0)
      assert.match(await readFile(db, 'utf8'), /"title":"Just in time"/)
      assert.equal(existsSync(join(project.path, 'data/lock')), false)
    })
  }

  test('a second signal ends the process despite open requests', async () => {
    await using project = await copyFixture('blog')
    const server = await startServer(['--project', project.path])
    const { stdout: token } = await runCli(['token'], { cwd: project.path })
    const socket = await open(Number(new URL(server.address).port))
    const heard = listen(socket)
    const head = 'POST /api/v1/models/tag HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nExpect: 100-continue\r\n'
    socket.write(`${head}Authorization: Bearer ${token.trim()}\r\n\r\n`)
    await once(socket, 'data')
    const ended = once(server.child, 'exit')
    server.child.kill('SIGTERM')
    await server.said('SIGTERM: finishing open requests')
    server.child.kill('SIGTERM')
    assert.deepEqual(await ended, [null, 'SIGTERM'])
    await heard
  })
})

/** Sends the head of a POST and waits until the server has received it. `finish` sends the body and resolves with the status. */
async function openRequest(url: string, token: string): Promise<{ finish: (body: string) => Promise<number | undefined> }> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', expect: '100-continue' }
  const pending = request(url, { method: 'POST', headers })
  const answered = once(pending, 'response')
  pending.flushHeaders()
  await once(pending, 'continue')
  return {
    async finish(body) {
      pending.end(body)
      const [response] = (await answered) as [IncomingMessage]
      response.resume()
      return response.statusCode
    },
  }
}
