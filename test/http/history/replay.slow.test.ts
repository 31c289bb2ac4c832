import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { HISTORY } from '../../../src/history/history-recorder.ts'
import { integer, mulberry32, pick, type Random } from '../../bench/data/random.ts'
import { ADMIN_SEED, openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { type Reply, send } from '../../helpers/api/scenario.ts'
import { allRecords, comparable, type Entry, presentState, replay } from './replay.ts'

const MODELS = '/api/v1/models'
const RECORDED = ['label', 'book', 'note', 'user']
const OPERATIONS = 1000

const FILES = {
  'admin.config.yaml': 'history: { days: 90 }\n',
  'models/book.yaml': `name: Book
timestamps: true
fields:
  - { name: title, type: string, required: true }
  - { name: pin, type: password }
  - { name: pages, type: integer, default: 1 }
  - { name: extra, type: json }
  - { name: tags, type: many_to_many, model: label }
`,
  'models/label.yaml': 'name: Label\nfields:\n  - { name: name, type: string, unique: true, required: true }\n',
  'models/note.yaml': `name: Note
fields:
  - { name: text, type: string }
  - { name: book_id, type: foreignkey, model: book, on_delete: cascade }
  - { name: label_id, type: foreignkey, model: label, on_delete: set_null }
`,
  ...ADMIN_SEED,
}

/** Kinds of operations; frequent ones are named several times. */
const KINDS = [
  ...Array<string>(16).fill('create'),
  ...Array<string>(16).fill('createNote'),
  ...Array<string>(20).fill('update'),
  ...Array<string>(8).fill('remove'),
  ...['createUser', 'updateUser', 'bulkCreate', 'bulkUpdate', 'updateMatches', 'import', 'upsert', 'dryRun'].flatMap((kind) => [
    kind,
    kind,
    kind,
    kind,
  ]),
  ...['removeMatches', 'bulkRemove', 'mock', 'mock', 'save', 'load', 'reopen'],
]

/** Asks for one random operation after another. Refused ones are as good as others. */
class RandomOperations {
  readonly secrets: string[] = []
  readonly counts = new Map<string, number>()
  #app: TestApp
  readonly #random: Random
  #names = 0
  #saved: string | undefined

  constructor(app: TestApp, random: Random) {
    this.#app = app
    this.#random = random
  }

  get app(): TestApp {
    return this.#app
  }

  async next(): Promise<void> {
    const kind = pick(this.#random, KINDS)
    const reply = await this.#do(kind)
    assert.ok(reply === undefined || reply.status < 500, `${kind}: ${reply?.text}`)
    if (reply === undefined || reply.status < 300) this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1)
    this.#app.advance(integer(this.#random, 0, 5000))
  }

  async #do(kind: string): Promise<Reply | undefined> {
    const random = this.#random
    const id = async (model: string): Promise<number | null> => {
      const { records } = await this.#app.app.store.find(model, { filters: [], sort: [], offset: 0, limit: 500 })
      return records.length === 0 ? null : pick(random, records).id
    }
    const name = () => `n${this.#names++}`
    const book = async () => ({
      title: name(),
      pages: integer(random, 1, 9),
      extra: { at: [integer(random, 0, 2)] },
      tags: (await id('label')) === null ? [] : [await id('label')],
      ...(random() < 0.3 ? { pin: this.#secret() } : {}),
    })
    const note = async () => ({ text: name(), book_id: await id('book'), label_id: await id('label') })
    switch (kind) {
      case 'create':
        return random() < 0.5 ? this.#post('label', { name: name() }) : this.#post('book', await book())
      case 'createNote':
        return this.#post('note', await note())
      case 'createUser':
        return this.#post('user', { username: name(), email: `${name()}@example.org`, password: this.#secret() })
      case 'update':
        return random() < 0.5
          ? this.#ask(`PUT ${MODELS}/book/${await id('book')}`, { data: await book() })
          : this.#ask(`PUT ${MODELS}/note/${await id('note')}`, { data: await note() })
      case 'updateUser':
        return this.#ask(`PUT ${MODELS}/user/${await id('user')}`, { data: { first_name: name(), password: this.#secret() } })
      case 'remove': {
        const model = pick(random, ['label', 'book', 'note'])
        return this.#ask(`DELETE ${MODELS}/${model}/${await id(model)}`)
      }
      case 'bulkCreate':
        return this.#ask(`POST ${MODELS}/label/bulk`, { records: [{ name: name() }, { name: name() }] })
      case 'bulkUpdate':
        return this.#ask(`PUT ${MODELS}/book/bulk`, { updates: [{ id: await id('book'), data: await book() }] })
      case 'bulkRemove':
        return this.#ask(`DELETE ${MODELS}/book/bulk`, { ids: [await id('book')] })
      case 'updateMatches':
      case 'removeMatches': {
        const filters = [`pages=${integer(random, 1, 9)}`]
        const { total } = (await this.#ask(`GET ${MODELS}/book?filters=${filters[0]}&page_size=1`)).json
        if (kind === 'updateMatches')
          return this.#ask(`PUT ${MODELS}/book/bulk`, { filters, expected_total: total, data: { pages: integer(random, 1, 9) } })
        return this.#ask(`DELETE ${MODELS}/book/bulk`, { filters, expected_total: total })
      }
      case 'import':
        return this.#import('', `name\r\n${name()}\r\n${name()}\r\n`)
      case 'upsert':
        return this.#import('?upsert_by=name', `name\r\nn${integer(random, 0, this.#names)}\r\n${name()}\r\n`)
      case 'mock':
        return this.#ask('POST /api/v1/mock', { count: 2, models: ['note'], seed: this.#names })
      case 'dryRun':
        return this.#ask(`POST ${MODELS}/label?dry_run=true`, { data: { name: name() } })
      case 'save':
        this.#saved = name()
        return this.#ask('POST /api/v1/snapshots', { name: this.#saved })
      case 'load':
        if (this.#saved !== undefined) await this.#app.live.replace({ data: { kind: 'load', copy: this.#saved } })
        return undefined
      default:
        this.#app = await this.#app.reopen()
        return undefined
    }
  }

  #secret(): string {
    const secret = `secret-${Math.floor(this.#random() * 1e12)}`
    this.secrets.push(secret)
    return secret
  }

  #ask(request: string, body?: unknown): Promise<Reply> {
    return send(this.#app, { request: request as `GET /${string}`, ...(body === undefined ? {} : { body }) })
  }

  #post(model: string, data: object): Promise<Reply> {
    return this.#ask(`POST ${MODELS}/${model}`, { data })
  }

  #import(query: string, rawBody: string): Promise<Reply> {
    const headers = { 'content-type': 'text/csv' }
    return send(this.#app, { request: `POST ${MODELS}/label/import${query}`, rawBody, headers })
  }
}

test(`${OPERATIONS} random operations, replayed from the history, give the present records`, { timeout: 300_000 }, async () => {
  const first = await openTestApp({ files: FILES })
  const operations = new RandomOperations(first, mulberry32(23))
  try {
    const before = await presentState(first.app.store, first.app.project.registry, RECORDED)
    for (let count = 0; count < OPERATIONS; count++) await operations.next()
    const { app, folder } = operations.app
    const entries = (await allRecords(app.store, HISTORY)) as unknown as Entry[]
    const present = await presentState(app.store, app.project.registry, RECORDED)
    assert.deepEqual(comparable(replay(before, entries)), comparable(present))

    assert.ok(entries.length > 500, `${entries.length} entries`)
    assert.equal(
      operations.counts.size,
      new Set(KINDS).size,
      `every kind of operation succeeded: ${[...operations.counts.keys()]}`,
    )
    assert.deepEqual(new Set(entries.map(({ via }) => via)), new Set(['api', 'import', 'mock', 'cascade']))

    const hashes = [...(await allRecords(app.store, 'user')).map(({ password }) => password), '$quick$'].map(String)
    const text = JSON.stringify(entries)
    assert.deepEqual(
      [...operations.secrets, ...hashes].filter((secret) => text.includes(secret)),
      [],
    )
    const names = (await readdir(join(folder.path, 'data'), { recursive: true })).filter((name) => /json/.test(name))
    const files = await Promise.all(names.map((name) => readFile(join(folder.path, 'data', name), 'utf8')))
    assert.ok(files.some((file) => file.includes('"secret":true')))
    assert.ok(operations.secrets.length > 100)
    for (const secret of operations.secrets) assert.ok(!files.some((file) => file.includes(secret)), 'a secret is in a file')
  } finally {
    await operations.app.close()
  }
})
