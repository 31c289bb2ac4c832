import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AUTH_MODELS } from '../../src/auth/account-models.ts'
import { flatSource } from '../../src/config/source.ts'
import { buildRegistry } from '../../src/model/build.ts'
import { findBrokenRecords } from '../../src/project/broken-records.ts'
import type { Store, StoredRecord } from '../../src/store/store.ts'

const { registry } = buildRegistry(
  [
    {
      value: {
        name: 'Note',
        fields: [
          { name: 'text', type: 'string', required: true, max_length: 5, unique: true },
          { name: 'pin', type: 'password', max_length: 8 },
          { name: 'parent_id', type: 'foreignkey', model: 'note' },
          { name: 'readers', type: 'many_to_many', model: 'user' },
          { name: 'photos', type: 'image', multiple: true, max_files: 2, max_size: '1 KiB', min_width: 10 },
        ],
      },
      source: flatSource('models/note.yaml'),
    },
  ],
  AUTH_MODELS,
)

const note = (id: number, rest: object): StoredRecord => ({
  id,
  text: `n${id}`,
  pin: null,
  parent_id: null,
  readers: [],
  photos: [],
  ...rest,
})

/** A store that holds these notes, and nothing else. */
const storeOf = (notes: readonly StoredRecord[]): Store =>
  ({
    async *stream(table: string) {
      if (table === 'note') yield* [notes.slice(0, 3), notes.slice(3)]
    },
  }) as unknown as Store

const messagesOf = async (...notes: readonly StoredRecord[]): Promise<string[]> =>
  (await findBrokenRecords(storeOf(notes), registry, { size: async (sha256) => (sha256 === 'gone' ? undefined : 1) })).map(
    ({ model, id, field, message }) => `${model} ${id} ${field}: ${message}`,
  )

test('records that fit their models', async () => {
  assert.deepEqual(await messagesOf(note(1, {}), note(2, { parent_id: 1, pin: 'a hash that is longer than a pin may be' })), [])
})

test('every value that breaks its field, and nothing of a secret', async () => {
  assert.deepEqual(await messagesOf(note(1, { text: 'too long' }), note(2, { text: null }), note(3, { text: 7 })), [
    'note 1 text: text must be at most 5 characters long',
    'note 2 text: text is mandatory',
    'note 3 text: text must be a string',
  ])
})

test('values that must be unique, across batches', async () => {
  const notes = [note(1, { text: 'same' }), note(2, {}), note(3, {}), note(4, { text: 'same' })]
  assert.deepEqual(await messagesOf(...notes), ['note 4 text: text must be unique, and record 1 has the same'])
})

test('references to missing records', async () => {
  assert.deepEqual(await messagesOf(note(1, { parent_id: 9 }), note(2, { parent_id: 3, readers: [5] }), note(3, {})), [
    'note 1 parent_id: parent_id references a non-existent record',
    'note 2 readers: readers references a non-existent record',
  ])
})

test('of many records that break a field some are named, and the rest is counted', async () => {
  const notes = Array.from({ length: 60 }, (_, index) => note(index + 1, { text: `much too long ${index}` }))
  const messages = await messagesOf(...notes)
  assert.equal(messages.length, 50)
  assert.equal(messages.at(-1), 'note 50 text: text must be at most 5 characters long (and 10 more for this field)')
  assert.equal(messages.filter((message) => message.includes('more')).length, 1)
})

test('files beyond limits that the model has now, and files without bytes', async () => {
  const file = (members: object) => ({
    ...{ id: 'k3J9x0aQ2m-1', name: 'a', type: 'image/png', size: 100, sha256: 'ab', width: 10, height: 10, alt: null },
    ...{ uploaded_at: '2026-01-01T00:00:00.000Z', ...members },
  })
  assert.deepEqual(
    await messagesOf(
      note(1, { photos: [file({}), file({})] }),
      note(2, { photos: [file({}), file({}), file({ size: 1025 })] }),
      note(3, { photos: [file({ width: 9 }), file({ type: 'image/tiff' })] }),
      note(4, { photos: [file({ sha256: 'gone' })] }),
    ),
    [
      'note 2 photos: photos must have at most 2 files',
      'note 2 photos: photos must not be larger than 1 KiB',
      'note 3 photos: photos must be at least 10 pixels wide',
      'note 3 photos: photos must be a JPEG, PNG, WebP, GIF or AVIF image, not TIFF',
      "note 4 photos: photos: the bytes of 'a' are missing; restore them from a backup, or remove the file",
    ],
  )
})
