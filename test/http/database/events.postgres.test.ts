import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { RunningServer } from '../../helpers/cli/process.ts'
import { NO_POSTGRES } from '../../helpers/postgres/server.ts'
import { type TwoServers, twoServers } from '../../helpers/postgres/two-servers.ts'

/** An open stream of events, and its text so far. */
interface OpenStream {
  text(): string
  /** The `action record_id` of each change. */
  changes(): string[]
  close(): void
}

async function openStream({ headers }: TwoServers, { address }: RunningServer, lastEventId?: string): Promise<OpenStream> {
  const abort = new AbortController()
  const reply = await fetch(`${address}/api/v1/events`, {
    headers: { ...headers, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
    signal: abort.signal,
  })
  assert.equal(reply.status, 200)
  let text = ''
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of reply.body ?? []) text += decoder.decode(chunk, { stream: true })
  }
  void read().catch(() => {})
  return {
    text: () => text,
    changes: () =>
      [...text.matchAll(/^data: (\{"model".*)$/gm)].map(([, data = '']) => {
        const { action, record_id: id } = JSON.parse(data)
        return `${action} ${id}`
      }),
    close: () => abort.abort(),
  }
}

describe('event streams of two processes', { skip: NO_POSTGRES }, () => {
  test('a stream tells of the changes of both processes, each once, and goes on after a pause', async () => {
    await twoServers(async (parts) => {
      const { request, until, servers } = parts
      const [one, other] = servers
      const create = async (server: RunningServer, name: string): Promise<number> => {
        const { status, json } = await request(server, 'POST', 'models/tag', { data: { name } })
        assert.equal(status, 201, JSON.stringify(json))
        return json.data.id
      }
      // The other process has written before it can know of the stream.
      await create(other, 'before')
      const stream = await openStream(parts, one)
      await until(() => stream.text().includes('event: ready'), 'the stream is ready')
      const first = await create(other, 'first')
      await until(() => stream.changes().length === 1, 'a change of the other process')
      const expected = [`create ${first}`]
      const ids = await Promise.all(Array.from({ length: 40 }, (_, index) => create(index % 2 === 0 ? one : other, `n${index}`)))
      expected.push(...ids.map((id) => `create ${id}`))
      assert.equal((await request(other, 'PATCH', `models/tag/${first}`, { data: { name: 'renamed' } })).status, 200)
      assert.equal((await request(other, 'DELETE', `models/tag/${first}`)).status, 200)
      expected.push(`update ${first}`, `delete ${first}`)
      await until(() => stream.changes().length >= expected.length, 'all changes')
      await setTimeout(1500)
      assert.deepEqual(stream.changes().sort(), expected.sort())
      const lastId = [...stream.text().matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? assert.fail()
      stream.close()
      const missed = await create(other, 'missed')
      const back = await openStream(parts, one, lastId)
      await until(() => back.changes().length === 1, 'the change of the pause')
      assert.match(back.text(), /^event: ready/)
      assert.deepEqual(back.changes(), [`create ${missed}`])
      back.close()
      const elsewhere = await openStream(parts, other, lastId)
      await until(() => elsewhere.text() !== '', 'the answer')
      assert.match(elsewhere.text(), /^event: reset/)
      elsewhere.close()
    })
  })
})
