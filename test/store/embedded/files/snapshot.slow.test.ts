import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { crc32 } from 'node:zlib'
import { FileStore } from '../../../../src/store/embedded/file-store.ts'
import { CHUNK_BYTES, nodeDisk } from '../../../../src/store/embedded/files/disk.ts'
import { ignoreRecords, replay, validatorForEdited } from '../../../../src/store/embedded/files/replay.ts'
import { EMPTY_SNAPSHOT, type Snapshot, SnapshotAdapter } from '../../../../src/store/embedded/files/snapshot.ts'
import { lineOf, type SnapshotPart } from '../../../../src/store/embedded/files/snapshot-lines.ts'
import type { StoredRecord } from '../../../../src/store/store.ts'
import { repetitions } from '../../../helpers/counts.ts'
import { temporaryFolder } from '../../../helpers/fixture.ts'
import { Library, libraryRegistry } from '../../../helpers/store/library.ts'
import { inFolder } from '../folder.ts'

/** Calls `use` with the path of a file that does not exist yet. */
async function atPath(body: (path: string) => Promise<void>): Promise<void> {
  await using folder = await temporaryFolder()
  await body(join(folder.path, 'db.json'))
}

type Tables = Readonly<Record<string, { readonly nextId: number; readonly records: readonly StoredRecord[] }>>

/** A snapshot of these tables, in parts of some records each. */
function snapshotOf(tables: Tables, chunk = 7): Snapshot {
  async function* parts(): AsyncGenerator<SnapshotPart> {
    for (const [name, { nextId, records }] of Object.entries(tables)) {
      yield { kind: 'table', name, nextId }
      for (let from = 0; from < records.length; from += chunk) {
        yield {
          kind: 'lines',
          lines: Buffer.from(
            records
              .slice(from, from + chunk)
              .map(lineOf)
              .join(',\n'),
          ),
          line: 0,
        }
      }
    }
  }
  return { sequence: 5, parts: parts() }
}

/** The content of a file, read line by line. */
async function readBack(path: string): Promise<{ origin: string | undefined; sequence: number | undefined; tables: Tables }> {
  const snapshot = await new SnapshotAdapter(path, nodeDisk).read()
  const tables: Record<string, { nextId: number; records: StoredRecord[] }> = {}
  let open: StoredRecord[] = []
  for await (const part of snapshot?.parts ?? []) {
    if (part.kind === 'table') {
      open = []
      tables[part.name] = { nextId: part.nextId, records: open }
    } else if (part.kind === 'lines') open.push(...(JSON.parse(`[${part.lines.toString()}]`) as StoredRecord[]))
    else assert.fail('the file was read as a whole')
  }
  await snapshot?.file?.close()
  return { origin: snapshot?.file?.origin, sequence: snapshot?.sequence, tables }
}

describe('a snapshot', () => {
  test('is read as it was written, for all values', async () => {
    const tables: Tables = {
      empty: { nextId: 1, records: [] },
      'quo"te\n': { nextId: 9, records: [{ id: 8, text: '\n]}' }] },
      text: {
        nextId: Number.MAX_SAFE_INTEGER,
        records: [
          { id: 1 },
          { id: 2, name: ']},\n"x": {"next_id": 1, "records": [' },
          { id: 10, name: 'ü€😀\u2028', nested: [{ id: 3 }, { ['__proto__']: null }] },
          { id: Number.MAX_SAFE_INTEGER - 1, name: '' },
        ],
      },
      last: { nextId: 2, records: [] },
    }
    await atPath(async (path) => {
      for (const chunk of [1, 2, 100]) {
        await new SnapshotAdapter(path, nodeDisk).write(snapshotOf(tables, chunk))
        assert.deepEqual(await readBack(path), { origin: 'ours', sequence: 5, tables })
        assert.deepEqual(Object.keys(JSON.parse(readFileSync(path, 'utf8')).tables), Object.keys(tables))
      }
    })
  })

  test('states the checksum of all bytes before its line', async () => {
    await atPath(async (path) => {
      await new SnapshotAdapter(path, nodeDisk).write(snapshotOf({ a: { nextId: 2, records: [{ id: 1, name: 'ü' }] } }))
      const bytes = readFileSync(path)
      const at = bytes.indexOf('"checksum"')
      assert.equal(bytes.toString('utf8', at), `"checksum": "${crc32(bytes.subarray(0, at)).toString(16).padStart(8, '0')}"\n}\n`)
    })
  })

  test('without tables is read as it was written', async () => {
    await atPath(async (path) => {
      await new SnapshotAdapter(path, nodeDisk).write(snapshotOf({}))
      assert.deepEqual(await readBack(path), { origin: 'ours', sequence: 5, tables: {} })
    })
  })

  test('is complete when lines and characters cross the boundaries of chunks', async () => {
    // The end of the chunk falls on every byte of a line in turn, the end of the table included.
    const line = lineOf({ id: 10_000, name: 'ü€😀' })
    await atPath(async (path) => {
      for (let shift = 0; shift < line.length + 12; shift++) {
        const records = [
          { id: 1, name: 'x'.repeat(CHUNK_BYTES - 200 + shift) },
          { id: 10_000, name: 'ü€😀' },
          { id: 10_001, name: 'ü€😀' },
          { id: 10_002, name: 'y' },
        ]
        const tables: Tables = { a: { nextId: 20_000, records }, b: { nextId: 4, records: [{ id: 3, name: '€' }] } }
        await new SnapshotAdapter(path, nodeDisk).write(snapshotOf(tables))
        const found = await readBack(path)
        assert.equal(found.origin, 'ours')
        assert.ok(JSON.stringify(found.tables) === JSON.stringify(tables), `shifted by ${shift}`)
      }
    })
  })

  test('may hold a record that is longer than a chunk', async () => {
    const records = [
      { id: 1, name: 'a' },
      { id: 2, name: '😀'.repeat(CHUNK_BYTES) },
      { id: 3, name: 'b' },
    ]
    await atPath(async (path) => {
      await new SnapshotAdapter(path, nodeDisk).write(snapshotOf({ a: { nextId: 4, records } }, 1))
      assert.deepEqual((await readBack(path)).tables.a?.records, records)
    })
  })

  test('that was edited and is too large for a string must have one record per line; the error names the first other line', async () => {
    await atPath(async (path) => {
      await new SnapshotAdapter(path, nodeDisk).write(
        snapshotOf({ a: { nextId: 4, records: [{ id: 1 }, { id: 2 }, { id: 3 }] } }),
      )
      const text = readFileSync(path, 'utf8')
      for (const [from, to, place] of [
        ['{"id":2}', '{"id":2\n}', 'line 7:'],
        ['"format": 1', '"format":1', 'line 2:'],
        [']}', ']', 'line 9:'],
      ] as const) {
        writeFileSync(path, text.replace(from, to))
        const adapter = new SnapshotAdapter(path, nodeDisk, 10)
        const reading = async () => {
          const snapshot = await adapter.read()
          try {
            await replay(snapshot ?? EMPTY_SNAPSHOT, [], ignoreRecords, validatorForEdited(undefined))
          } finally {
            await snapshot?.file?.close()
          }
        }
        await assert.rejects(reading, (error: Error) => error.message.includes(place) || assert.fail(error.message))
      }
    })
  })
})

const STEP = repetitions(3, 1)

describe('a db.json with one changed byte', () => {
  // In the suites each byte is changed by one of the masks.
  for (const [first, mask] of [0x01, 0x20, 0x80].entries()) {
    test(`(by ${mask}) is rejected, or is valid JSON: then a warning is given, and no record is invented`, async () => {
      await inFolder(async ({ shelves, store, file, folder }) => {
        await shelves.add('author', { name: 'Ann', email: 'a@b.de', rank: 3 })
        await shelves.addBook({ genres: [(await shelves.add('genre', { name: 'ü' })).id], author_id: 1 })
        const expected = await shelves.everything()
        await store.close()
        const bytes = readFileSync(file)
        let refused = 0
        for (let offset = first % STEP; offset < bytes.length; offset += STEP) {
          const changed = Buffer.from(bytes)
          changed.writeUInt8(bytes.readUInt8(offset) ^ mask, offset)
          writeFileSync(file, changed)
          const snapshot = await new SnapshotAdapter(file, nodeDisk).read().catch(() => undefined)
          await snapshot?.file?.close()
          assert.notEqual(snapshot?.file?.origin, 'ours', `byte ${offset} went unnoticed`)
          const opened = await FileStore.open(folder, libraryRegistry(), 'read').catch((error: { code?: string }) => {
            assert.equal(error.code, 'DATA_CORRUPT', String(error))
            refused++
          })
          if (opened === undefined) continue
          // The records are those that the changed JSON states.
          const tables = JSON.parse(changed.toString()).tables as Record<string, { records: StoredRecord[] }>
          for (const [name, records] of Object.entries(await new Library(opened).everything())) {
            assert.deepEqual(records, tables[name]?.records ?? [], `byte ${offset}`)
            if (tables[name] !== undefined) assert.equal(records.length, expected[name]?.length, `byte ${offset}`)
          }
          await opened.close()
        }
        assert.ok(refused > bytes.length / STEP / 4, `only ${refused} of ${bytes.length} were refused`)
      })
    })
  }
})
