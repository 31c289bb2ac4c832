import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AdminError, type ChangeEvent, createClient, type Wait } from '../../src/client/client.ts'
import { AUTHOR, type LiveApp, loggedIn, openLive } from './live.ts'

/** Connects again in the next turn of the event loop, and never takes a stream as silent. */
const wait: Wait = (milliseconds, signal) =>
  new Promise((resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason))
    if (milliseconds < 60_000) setImmediate(resolve)
  })

/** A list that can be waited for. */
class Seen<T> {
  readonly items: T[] = []
  #check = () => {}

  add(item: T): void {
    this.items.push(item)
    this.#check()
  }

  until(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#check = () => this.items.length >= count && resolve()
      this.#check()
    })
  }
}

async function withSubscription(
  work: (parts: {
    app: LiveApp
    client: Awaited<ReturnType<typeof loggedIn>>
    told: Seen<string>
    links: Seen<boolean>
    resets: Seen<true>
    stop: () => Promise<void>
  }) => Promise<void>,
  models?: readonly string[],
): Promise<void> {
  const app = await openLive()
  const abort = new AbortController()
  const [told, links, resets] = [new Seen<string>(), new Seen<boolean>(), new Seen<true>()]
  const client = await loggedIn(app, { wait, random: () => 0 })
  const running = client.subscribe({
    models,
    onChange: ({ action, model, record_id: id }: ChangeEvent) => told.add(`${action} ${model} ${id}`),
    onReset: () => resets.add(true),
    onConnection: (isConnected) => links.add(isConnected),
    signal: abort.signal,
  })
  const stop = () => {
    abort.abort()
    return running
  }
  try {
    await links.until(1)
    await work({ app, client, told, links, resets, stop })
  } finally {
    await stop()
    await app.close()
  }
}

const tagNamed = (name: string) => ({ name, slug: name })

describe('a client that subscribes', () => {
  test('is told of changes of the models that it names, until it stops', () =>
    withSubscription(
      async ({ app, client, told, stop }) => {
        const { data } = await client.model('tag').create(tagNamed('reef'))
        await client.model('category').create(tagNamed('sea'))
        await client.model('tag').delete(data.id)
        app.advance(100)
        await told.until(2)
        assert.deepEqual(told.items, [`create tag ${data.id}`, `delete tag ${data.id}`])
        await stop()
        while (app.app.events.size > 0) await new Promise((resolve) => setImmediate(resolve))
      },
      ['tag'],
    ))

  test('is told of each change of a batch', () =>
    withSubscription(async ({ app, client, told }) => {
      const { data } = await client.batch([
        { method: 'create', model: 'tag', data: tagNamed('reef') },
        { method: 'update', model: 'category', id: 1, data: { name: 'Sea' } },
        { method: 'delete', model: 'tag', id: 2 },
      ])
      app.advance(100)
      await told.until(3)
      assert.deepEqual([...told.items].sort(), [`create tag ${data[0]?.id}`, 'delete tag 2', 'update category 1'])
    }))

  test('goes on with a renewed token when the token ends, and misses nothing meanwhile', () =>
    withSubscription(async ({ app, client, told, links, resets }) => {
      const first = await client.model('tag').create(tagNamed('reef'))
      app.advance(100)
      await told.until(1)
      app.advance(31 * 60_000)
      const second = await client.model('tag').create(tagNamed('shore'))
      await links.until(3)
      app.advance(100)
      await told.until(2)
      assert.deepEqual(told.items, [`create tag ${first.data.id}`, `create tag ${second.data.id}`])
      assert.deepEqual([links.items, resets.items], [[true, false, true], []])
      assert.equal(app.asked.filter((line) => line === 'POST /api/v1/auth/refresh').length, 1)
    }))

  test('is told to read again when the data is replaced', () =>
    withSubscription(async ({ app, client, told, resets }) => {
      await app.live.replace({ data: { kind: 'reset', seeds: true, accounts: false } })
      await resets.until(1)
      const { data } = await client.model('tag').create(tagNamed('reef'))
      app.advance(100)
      await told.until(1)
      assert.deepEqual([told.items, resets.items], [[`create tag ${data.id}`], [true]])
    }))

  test('ends with an error when it may not view a model, has no session, or its session ends', async () => {
    await using app = await openLive()
    const ended = (client: Awaited<ReturnType<typeof loggedIn>>, models: string[], onConnection?: () => void) =>
      assert.rejects(client.subscribe({ models, onChange: () => {}, ...(onConnection && { onConnection }) }), (error) => {
        types.push(error instanceof AdminError ? error.type : String(error))
        return true
      })
    const types: string[] = []
    const author = await loggedIn(app, { wait, random: () => 0 }, AUTHOR)
    await ended(author, ['group'])
    await ended(author, ['pots'])
    await ended(createClient({ url: app.url }), ['tag'])
    const connected = new Seen<true>()
    const end = ended(author, ['tag'], () => connected.add(true))
    await connected.until(1)
    const admin = await loggedIn(app)
    const { data } = await admin.me()
    const [{ id } = { id: 0 }] = (await admin.model('user').list({ filters: { username: AUTHOR.username } })).data
    assert.notEqual(id, data.id)
    await admin.model('user').update(id, { is_active: false })
    app.advance(100)
    await end
    assert.deepEqual(types, ['permission', 'not_found', 'authentication', 'authentication'])
  })
})
