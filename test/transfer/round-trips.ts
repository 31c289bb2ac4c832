import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { SYSTEM } from '../../src/auth/permissions.ts'
import { FORMATS, type Format } from '../../src/query/formats.ts'
import { readCsv } from '../../src/ui/import/csv-text.ts'
import { type LiveApp, loggedIn, openLive } from '../client/live.ts'
import type { TestEngine } from '../helpers/api/app.ts'
import { EVERYTHING } from './everything.ts'
import { type RandomThing, randomThings } from './random-things.ts'

const ACCOUNT = { username: 'admin', password: 'round-trip-of-records' }
const FILES = {
  ...EVERYTHING,
  'seed/user.yaml': `- { username: admin, email: a@example.com, password: ${ACCOUNT.password}, is_superuser: true }\n`,
}
const SETTINGS = { rate_limits: { default: 0, auth: 0, upload: 0 }, max_upload_bytes: 2 ** 28 }

/** Fields that seeds cannot set. */
const STAMPS: ReadonlySet<string> = new Set(['created_at', 'updated_at'])

/**
 * Tests that records are exported, imported and exported again with the same bytes: by the page, with the ids and timestamps of the file, and
 * as seeds.
 *
 * @param engine where both the first and the second records are
 * @param skip why they are skipped, if they are
 */
export function testRoundTrips(engine: TestEngine, count: number, skip?: string): void {
  describe(`export, import, export of ${count} random records, ${engine}`, { skip }, () => {
    const open = (files: Readonly<Record<string, string>> = FILES) => openLive({ files, engine, settings: SETTINGS })
    const plain = randomThings(
      1,
      Array.from({ length: count }, (_, index) => index + 1),
    )
    // Ids with gaps, and timestamps in the past.
    const ids = plain.map((_, index) => 3 * index + 5)
    const stamped = randomThings(2, ids).map((thing, index) => {
      const moment = `2001-02-03T04:05:06.${String(index % 1000).padStart(3, '0')}Z`
      return { id: ids[index], ...thing, created_at: moment, updated_at: moment }
    })
    let source: LiveApp
    let stampedSource: LiveApp

    before(async () => {
      ;[source, stampedSource] = [await open(), await open()]
      await fill(source, 'ndjson', plain.map((thing) => JSON.stringify(thing)).join('\n'))
      await fill(stampedSource, 'ndjson', stamped.map((thing) => JSON.stringify(thing)).join('\n'))
    })
    after(async () => {
      await source.close()
      await stampedSource.close()
    })

    /** Imports a file into a store and exports it, in an application that is closed then. */
    const again = async (files: Readonly<Record<string, string>>, work: (app: LiveApp) => Promise<Uint8Array>) => {
      const app = await open(files)
      try {
        return await work(app)
      } finally {
        await app.close()
      }
    }

    test('the first export has the values that were sent', async () => {
      const lines = new TextDecoder()
        .decode(await exported(stampedSource, 'ndjson'))
        .trim()
        .split('\n')
      assert.equal(lines.length, count)
      const sorted = (thing: RandomThing) => ({ ...thing, others: [...(thing.others as number[])].sort((a, b) => a - b) })
      for (const [index, line] of lines.entries()) assert.deepEqual(sorted(JSON.parse(line)), sorted(stamped[index] ?? {}))
    })

    for (const format of FORMATS) {
      test(`${format} by the import of the page`, async () => {
        const first = await exported(source, format)
        const second = await again(FILES, async (app) => {
          const client = await loggedIn(app, {}, ACCOUNT)
          const { body, ...options } = await asPageSends(first, format)
          for (const dry_run of [true, false]) {
            const map = format === 'csv' ? (await client.model('thing').previewImport(body, options)).data.map : undefined
            assert.equal((await client.model('thing').import(body, { ...options, map, dry_run })).created, count)
          }
          return exported(app, format)
        })
        assertSameBytes(second, first)
      })

      test(`${format} with the ids and timestamps of the file`, async () => {
        const first = await exported(stampedSource, format)
        const second = await again(FILES, async (app) => {
          await fill(app, format, first)
          return exported(app, format)
        })
        assertSameBytes(second, first)
      })

      test(`${format} as seeds`, async () => {
        const fields = [...source.app.project.registry.expect('thing').visibleFields].flatMap(({ name }) =>
          STAMPS.has(name) ? [] : name,
        )
        const first = await exported(stampedSource, format, fields)
        const files = { ...FILES, [`seed/thing.${format}`]: new TextDecoder('utf-8', { ignoreBOM: true }).decode(first) }
        assertSameBytes(await again(files, (app) => exported(app, format, fields)), first)
      })
    }
  })
}

/** Imports a file as `admin import --keep-ids` does. */
const fill = async ({ app }: LiveApp, format: Format, file: string | Uint8Array): Promise<void> =>
  void (await app.imports.run(SYSTEM, 'thing', { format, open: () => [file] }, { keepIds: true }))

async function exported(app: LiveApp, format: Format, fields?: readonly string[]): Promise<Uint8Array<ArrayBuffer>> {
  const client = await loggedIn(app, {}, ACCOUNT)
  const response = await client.model('thing').export({ format, ...(fields && { fields }) })
  return new Uint8Array(await response.arrayBuffer())
}

/** Names the first line that differs, since a comparison of millions of bytes shows nothing. */
function assertSameBytes(actual: Uint8Array, expected: Uint8Array): void {
  if (Buffer.compare(actual, expected) === 0) return
  const [found, wanted] = [actual, expected].map((bytes) => new TextDecoder().decode(bytes).split('\n'))
  const line = wanted?.findIndex((each, index) => each !== found?.[index]) ?? 0
  assert.equal(found?.[line], wanted?.[line], `line ${line + 1}`)
  assert.equal(actual.length, expected.length)
}

/** A file as the import page sends it. */
async function asPageSends(file: Uint8Array<ArrayBuffer>, format: Format) {
  if (format !== 'csv') return { body: new Blob([file]), format }
  const text = new TextDecoder().decode(file)
  const csv = await readCsv(text, { delimiter: ',', firstRows: 1000, turn: async () => {} })
  assert.ok(csv !== undefined)
  return { body: new Blob([...csv.pieces]), format, delimiter: csv.delimiter }
}
