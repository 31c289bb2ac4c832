import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { AppError } from '../../../src/errors.ts'
import { FileStore } from '../../../src/store/embedded/file-store.ts'
import { inFolder } from './folder.ts'

const genres = (...records: readonly unknown[]) => JSON.stringify({ format: 1, tables: { genre: { next_id: 9, records } } })
const sound = { id: 1, name: 'a' }

/** The damage, the content of the file, and the position that the message must name. */
const DAMAGES: readonly (readonly [name: string, text: string, place: string])[] = [
  ['an empty file', '', 'it is empty'],
  ['half a file', genres(sound).slice(0, -9), 'line 1, column '],
  ['a file that is not JSON', 'format: 1\n', 'line 1, column 1: this is not JSON'],
  ['a file with a comma too many', '{"format": 1, "tables": {},}', 'line 1, column 28: a key in double quotes is missing'],
  ['a list', '[]', 'format'],
  ['null', 'null', 'format'],
  ['another format', '{"format": 2, "tables": {}}', 'format'],
  ['no format', '{"tables": {}}', 'format'],
  ['no tables', '{"format": 1}', 'format'],
  ['a list of tables', '{"format": 1, "tables": []}', 'format'],
  ['a table without records', '{"format": 1, "tables": {"genre": {"next_id": 1}}}', 'tables.genre.records'],
  ['a table that is a list', '{"format": 1, "tables": {"genre": []}}', 'tables.genre.records'],
  ['records that are no list', '{"format": 1, "tables": {"genre": {"records": {}}}}', 'tables.genre.records'],
  ['a record without an id', genres(sound, { name: 'b' }), 'tables.genre.records[1]'],
  ['a record that is null', genres(sound, null), 'tables.genre.records[1]'],
  ['a record that is a list', genres([1]), 'tables.genre.records[0]'],
  ['an id that is text', genres({ id: '1', name: 'a' }), 'tables.genre.records[0]'],
  ['an id of 0', genres({ id: 0, name: 'a' }), 'tables.genre.records[0]'],
  ['an id that is no integer', genres(sound, { id: 1.5, name: 'a' }), 'tables.genre.records[1]'],
  ['an id that two records have', genres(sound, { id: 2, name: 'b' }, { id: 1, name: 'c' }), 'tables.genre.records[2]'],
  [
    'damage in the table of a model that is not registered',
    '{"format": 1, "tables": {"stranger": {"records": [{}]}}}',
    'tables.stranger.records[0]',
  ],
]

describe('a damaged data file', () => {
  for (const [name, text, place] of DAMAGES) {
    test(`${name} is rejected and not changed`, async () => {
      await inFolder(async ({ folder, file, registry, store, reopen }) => {
        await store.close()
        await writeFile(file, text)
        for (const mode of ['write', 'read'] as const) {
          await assert.rejects(FileStore.open(folder, registry, mode), (error: unknown) => {
            assert.ok(error instanceof AppError, String(error))
            assert.equal(error.code, 'DATA_CORRUPT')
            assert.ok(error.message.includes(file), error.message)
            assert.ok(error.message.includes(place), error.message)
            return true
          })
          assert.equal(await readFile(file, 'utf8'), text)
          // The lock is released, so that the corrected file can be opened.
          assert.deepEqual(await readdir(folder), ['db.json'])
        }
        await writeFile(file, genres(sound))
        assert.deepEqual(await (await reopen()).shelves.ids('genre'), [1])
      })
    })
  }
})
