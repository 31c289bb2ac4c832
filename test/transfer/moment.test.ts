import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { setTimeout as delay, setImmediate } from 'node:timers/promises'
import { AccessRules } from '../../src/access/access-rules.ts'
import { SYSTEM } from '../../src/auth/permissions.ts'
import { CONNECTION_LIMITS } from '../../src/http/listener.ts'
import { MemoryStore } from '../../src/store/embedded/memory-store.ts'
import type { Operation, Store, StoredRecord } from '../../src/store/store.ts'
import { Exports } from '../../src/transfer/exports.ts'
import { type ListeningApp, open, withListening } from '../helpers/api/raw.ts'
import { BLOG, registryOf } from '../model/models.ts'

const registry = registryOf(...BLOG)
const RECORDS = 20_000
const WRITERS = 16

const insert = (name: string): Operation => ({ kind: 'insert', table: 'tag', values: { name, slug: name, parent_id: null } })

test('a file contains the records of one moment, despite concurrent writes', async () => {
  const store = new MemoryStore(registry)
  await store.transact(Array.from({ length: RECORDS }, (_, index) => insert(`tag-${index + 1}`)))
  let written = 0
  let isReading = true
  const writer = async (number: number) => {
    while (isReading) {
      const id = 1 + ((number * 7919 + written * 31) % RECORDS)
      await store.transact([
        insert(`late-${number}-${written++}`),
        { kind: 'update', table: 'tag', id, values: { name: 'changed' } },
        { kind: 'remove', table: 'tag', id: 1 + (id % 1000) },
      ])
      await setImmediate()
    }
  }
  const file = await new Exports(new AccessRules(registry, new Map()), store).open(SYSTEM, 'tag', 'format=ndjson')
  const writers = Array.from({ length: WRITERS }, (_, number) => writer(number))
  let text = ''
  for await (const piece of file.content) {
    text += String(piece)
    await setImmediate()
  }
  isReading = false
  await Promise.all(writers)
  assert.ok(written > WRITERS, `only ${written} writes while the file was read`)
  const records = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.equal(records.length, RECORDS)
  for (const [index, { id, name }] of records.entries()) assert.deepEqual([id, name], [index + 1, `tag-${index + 1}`])
})

/** The store of an application, with streams that fail after some batches. */
function failing(store: Store, batches: number): void {
  const real = store.stream.bind(store)
  store.stream = async function* (table, plan) {
    let left = batches
    for await (const batch of real(table, plan)) {
      if (left-- === 0) throw new Error('the disk is gone')
      yield batch.slice(0, 2)
      yield batch.slice(2)
    }
    throw new Error('the disk is gone')
  }
}

describe('an export that fails', () => {
  test('before its first record is an ordinary error', () =>
    withListening({}, async (app) => {
      failing(app.app.store, 0)
      const url = `http://127.0.0.1:${app.port}/api/v1/models/post/export`
      const response = await fetch(url, { headers: { authorization: `Bearer ${await app.tokenOf('admin')}` } })
      assert.equal(response.status, 500)
      assert.doesNotMatch(await response.text(), /disk/)
    }))

  for (const encoding of ['identity', 'gzip']) {
    test(`half-way closes the connection (${encoding}), so that no client takes the part for the whole`, () =>
      withListening({}, async (app) => {
        failing(app.app.store, 1)
        for (const format of ['csv', 'json', 'ndjson']) {
          const url = `http://127.0.0.1:${app.port}/api/v1/models/post/export?format=${format}`
          const headers = { authorization: `Bearer ${await app.tokenOf('admin')}`, 'accept-encoding': encoding }
          await assert.rejects(async () => {
            const response = await fetch(url, { headers })
            assert.equal(response.status, 200)
            await response.text()
          }, TypeError)
        }
        assert.equal(app.reported.length, 3)
      }))
  }
})

test('a reader that disconnects ends the export without an error', () =>
  withListening({}, async (app) => {
    const operations = Array.from({ length: 20_000 }, (_, index): Operation => {
      return { kind: 'insert', table: 'tag', values: { name: `tag ${'x'.repeat(500)} ${index}`, slug: `tag-${index}` } }
    })
    await app.app.store.transact(operations)
    let ended: (() => void) | undefined
    const end = new Promise<void>((resolve) => {
      ended = resolve
    })
    const real = app.app.store.stream.bind(app.app.store)
    let batches = 0
    app.app.store.stream = async function* (table, plan) {
      try {
        for await (const batch of real(table, plan)) {
          batches++
          yield batch
        }
      } finally {
        ended?.()
      }
    }
    const socket = await open(app.port)
    socket.pause()
    socket.write(`GET /api/v1/models/tag/export HTTP/1.1\r\nHost: localhost\r\n${app.authorization}\r\n`)
    await once(socket, 'readable')
    assert.ok(batches < 40, `${batches} batches were made for a reader who does not read`)
    socket.destroy()
    await end
    assert.ok(batches < 40, `${batches} batches were made for a reader who left`)
    assert.deepEqual(app.reported, [])
  }))

/** An endless export of long records, as a reader finds it; `ended` resolves when what it holds is freed. */
function endless(store: Store, pause = async () => {}): { readonly ended: Promise<void>; readonly count: () => number } {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  let count = 0
  store.stream = async function* () {
    try {
      for (;;) {
        await pause()
        const name = `tag ${'x'.repeat(1000)}`
        yield Array.from(
          { length: 200 },
          (): StoredRecord => ({ id: ++count, name, slug: `tag-${count}`, color: null, parent_id: null }),
        )
      }
    } finally {
      end()
    }
  }
  return { ended, count: () => count }
}

const impatient = { connections: { ...CONNECTION_LIMITS, unreadTimeout: 200 } }
const exportOf = ({ authorization }: ListeningApp, encoding = 'identity') =>
  `GET /api/v1/models/tag/export HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: ${encoding}\r\n${authorization}\r\n`

describe('a reader that takes nothing', () => {
  for (const encoding of ['identity', 'gzip'])
    test(`is cut off, and the export ends (${encoding})`, { timeout: 60_000 }, () =>
      withListening(impatient, async (app) => {
        const { ended } = endless(app.app.store)
        const socket = await open(app.port)
        const closed = once(socket, 'close')
        socket.on('error', () => {})
        socket.pause()
        socket.write(exportOf(app, encoding))
        await ended
        socket.resume()
        await closed
        assert.deepEqual(app.reported, [])
      }),
    )

  test('is not one that waits for a slow server', { timeout: 60_000 }, () =>
    withListening(impatient, async (app) => {
      const { count } = endless(app.app.store, () => delay(700))
      const socket = await open(app.port)
      let bytes = 0
      socket.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        // Three batches: the server was silent for longer than the limit twice.
        if (bytes > 500_000) socket.destroy()
      })
      const closed = once(socket, 'close')
      socket.write(exportOf(app))
      await closed
      assert.ok(bytes > 500_000 && count() >= 600, `cut off after ${bytes} bytes`)
    }),
  )

  test('leaves its time limit behind: the next request on the connection may take longer', { timeout: 60_000 }, () =>
    withListening(impatient, async (app) => {
      const { find } = app.app.store
      const socket = await open(app.port)
      let text = ''
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      const closed = once(socket, 'close')
      const slowly: Store['find'] = async (...given) => {
        await delay(700)
        return Reflect.apply(find, app.app.store, given)
      }
      app.app.store.find = slowly
      const list = `GET /api/v1/models/category?page_size=1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${app.authorization}\r\n`
      socket.write(exportOf(app) + list)
      await closed
      assert.match(text, /"total_pages"/)
    }),
  )
})
