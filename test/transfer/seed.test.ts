import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { SYSTEM } from '../../src/auth/permissions.ts'
import { ConfigError, formatFault } from '../../src/config/fault.ts'
import { AppError } from '../../src/errors.ts'
import { seedStore } from '../../src/transfer/seed.ts'
import { assertLines, unmark } from '../config/marks.ts'
import { openTestApp, type TestApp } from '../helpers/api/app.ts'
import { turnsDuring } from '../helpers/turns.ts'

const MODELS = `- name: Shelf
  fields:
    - { name: name, type: string, required: true, unique: true }
    - { name: parent_id, type: foreignkey, model: shelf }
- name: Book
  fields:
    - { name: title, type: string, required: true, min_length: 3 }
    - { name: pages, type: integer, gt: 0 }
    - { name: shelf_id, type: foreignkey, model: shelf, required: true }
`

async function seeded(seeds: Readonly<Record<string, string>>): Promise<Record<string, object[]>> {
  await using app = await openTestApp({ files: { 'models/all.yaml': MODELS, ...seeds } })
  const plan = { filters: [], sort: [], offset: 0, limit: 100 }
  const stored: Record<string, object[]> = {}
  for (const table of ['shelf', 'book']) stored[table] = [...(await app.app.store.find(table, plan)).records]
  return stored
}

async function assertSeedFaults(marked: Readonly<Record<string, string>>, messages: readonly string[]): Promise<void> {
  const files: Record<string, string> = {}
  const places: string[] = []
  for (const name of Object.keys(marked).sort()) {
    const { text, places: own } = unmark(marked[name] ?? '')
    files[name] = text
    places.push(...own.map((place) => `${name}:${place}`))
  }
  await assert.rejects(seeded(files), (error) => {
    assert.ok(error instanceof ConfigError, String(error))
    assertLines(
      error.faults.map(formatFault),
      messages.map((message, index) => `${places[index]}: ${message}`),
    )
    return true
  })
}

describe('filling an empty store', () => {
  test('ids ascend in file order, unless the file sets them', async () => {
    const { shelf } = await seeded({
      'seed/shelf.yaml': '- { name: a }\n- { name: b, id: 7 }\n- { name: c }\n- { name: d, id: null }\n',
    })
    assert.deepEqual(
      shelf?.map((record) => [Reflect.get(record, 'id'), Reflect.get(record, 'name')]),
      [
        [1, 'a'],
        [7, 'b'],
        [8, 'c'],
        [9, 'd'],
      ],
    )
  })

  test('records may refer to later ones of their own file and to other files', async () => {
    const { shelf, book } = await seeded({
      'seed/book.csv': 'title,pages,shelf_id\nOne,10,2\n',
      'seed/shelf.yaml': '- { name: a, parent_id: 2 }\n- { name: b }\n',
    })
    assert.equal(Reflect.get(shelf?.[0] ?? {}, 'parent_id'), 2)
    assert.equal(Reflect.get(book?.[0] ?? {}, 'shelf_id'), 2)
  })

  test('every invalid record is named by its file and line', () =>
    assertSeedFaults(
      {
        'seed/book.csv': 'title,pages,shelf_id\nGood,1,1\n»»Hi,0,1\n»Nowhere,1,9\n',
        'seed/shelf.yaml': '- name: a\n- name: »5\n- »{ parent_id: 1 }\n- { name: x, nope: »1 }\n',
      },
      [
        'title must be at least 3 characters long',
        'pages must be greater than 0',
        'shelf_id references a non-existent record',
        'name must be a string',
        'name is mandatory',
        "Field 'nope' does not exist",
      ],
    ))

  test('an invalid id is reported', () =>
    assertSeedFaults(
      {
        'seed/shelf.yaml':
          '- { name: a, id: »0 }\n- { name: b, id: »x }\n- { name: c, id: »1.5 }\n- { name: d, id: »4503599627370497 }\n',
      },
      [
        'id must be an integer from 1 to 4503599627370496, not 0',
        'id must be an integer from 1 to 4503599627370496, not "x"',
        'id must be an integer from 1 to 4503599627370496, not 1.5',
        'id must be an integer from 1 to 4503599627370496, not 4503599627370497',
      ],
    ))

  const MEASURES = `name: Measure
fields:
  - { name: amount, type: decimal }
  - { name: rate, type: number }
  - { name: extra, type: json, default: { a: [1234567890123456800] } }
`
  const INEXACT = 'cannot be kept exactly; round it, or put it into quotes if it is a text or a decimal'

  for (const [file, text, numeral] of [
    ['seed/measure.yaml', '- extra: { num: »9007199254740993 }\n', '9007199254740993'],
    ['seed/measure.json', '[{ "extra": { "num": »9007199254740993 } }]', '9007199254740993'],
    ['seed/measure.yaml', '- { amount: »1.00000000000000001 }\n', '1.00000000000000001'],
    ['seed/measure.json', '[{ "amount": »1.00000000000000001 }]', '1.00000000000000001'],
    ['models/measure.json', '{"name":"Measure","fields":[{"name":"extra","type":"json","default":[»1e400]}]}', '1e400'],
    [
      'models/measure.yaml',
      'name: M\nfields: [{ name: extra, type: json, default: { a: »9007199254740993 } }]\n',
      '9007199254740993',
    ],
  ] as const) {
    test(`a number that would be rounded is a fault: ${numeral} in ${file}`, () => {
      const others: Record<string, string> = file.startsWith('models') ? {} : { 'models/measure.yaml': MEASURES }
      return assertSeedFaults({ ...others, [file]: text }, [`The number ${numeral} ${INEXACT}`])
    })
  }

  for (const file of ['seed/measure.yaml', 'seed/measure.json', 'seed/measure.ndjson']) {
    test(`the digits of a decimal count as they are written in ${file}`, () => {
      const record = '{ "amount": 0.1000000000000000055511151231257827021181583404541015625 }'
      const messages = ['amount must be written as text, such as "12.50", since it has more than 15 digits']
      const marked = file.endsWith('.ndjson') ? `»${record}\n` : `[${record.replace(': ', ': »')}]`
      return assertSeedFaults({ 'models/measure.yaml': MEASURES, [file]: marked }, messages)
    })

    test(`numbers that the API answers are read from ${file}`, async () => {
      const record = '{ "rate": 1234567890123456800, "extra": [1e+21, 1152921504606846976, 5e-324], "amount": -1.50 }'
      const text = file.endsWith('.ndjson') ? `${record}\n{}\n` : `[${record}, {}]`
      await using app = await openTestApp({ files: { 'models/measure.yaml': MEASURES, [file]: text } })
      const { records } = await app.app.store.find('measure', { filters: [], sort: [], offset: 0, limit: 2 })
      assert.deepEqual(records, [
        { id: 1, amount: '-1.5', rate: 1234567890123456800, extra: [1e21, 2 ** 60, 5e-324] },
        { id: 2, amount: null, rate: null, extra: { a: [1234567890123456800] } },
      ])
    })
  }

  test('the highest id leaves room for later records', async () => {
    const { shelf } = await seeded({ 'seed/shelf.yaml': '- { name: a, id: 4503599627370496 }\n- { name: b }\n' })
    assert.deepEqual(
      shelf?.map((record) => Reflect.get(record, 'id')),
      [2 ** 52, 2 ** 52 + 1],
    )
  })

  test('other work runs while the records of a list are read', async () => {
    await using app = await openTestApp({ files: { 'models/all.yaml': MODELS } })
    let loading: Promise<unknown> | undefined
    const turns = await turnsDuring(async () => {
      let read = () => {}
      const wholeList = new Promise<void>((resolve) => {
        read = resolve
      })
      function* items() {
        for (let id = 1; id <= 20_000; id++) yield { model: 'shelf', id, data: { name: `shelf ${id}` } }
        read()
      }
      loading = app.app.records.load(SYSTEM, items())
      await wholeList
    })
    assert.ok(turns > 1, `${turns} turns`)
    assert.deepEqual(await loading, [])
  })
})

test('a fault of a seed is of that seed alone, not of the seeds that the process reads after it', async () => {
  const photo = 'name: Photo\nfields: [{ name: title, type: string }, { name: paper, type: file }]\n'
  const start = (seed: string) => openTestApp({ files: { 'models/photo.yaml': photo, 'seed/photo.yaml': seed } })
  await assert.rejects(start('- { title: A, paper: none.txt }\n'), /paper names a file that does not exist/)
  await using app = await start('- { title: B }\n')
  assert.equal(app.app.seeded, 1)
})

describe('where images cannot be read', () => {
  const PHOTO = (field: string) => `name: Photo
fields:
  - { name: title, type: string, required: true }
  - { name: cover, type: image${field} }
  - { name: gallery, type: image, multiple: true }
`
  const why = 'Images need a package: run `npm install it`'

  /** Seeds photos where no image can be read, and returns the warnings. */
  async function seedPhotos(app: TestApp): Promise<string[]> {
    const seed = [
      { title: 'Reef', cover: 'reef.png' },
      { title: 'Both', cover: 'reef.png', gallery: ['reef.png'] },
      { title: 'None' },
    ]
    const folder = app.folder.path
    await Promise.all([
      writeFile(join(folder, 'photo.json'), JSON.stringify(seed)),
      writeFile(join(folder, 'reef.png'), 'not read'),
    ])
    const warnings: string[] = []
    const { records, project } = app.app
    const takeFile = () => Promise.reject(new AppError('IMAGES_UNAVAILABLE', why))
    const log = { warn: (message: string) => warnings.push(message) }
    const file = { model: 'photo', path: join(folder, 'photo.json'), file: 'photo.json' }
    await seedStore([file], project.registry, records, takeFile, log)
    return warnings
  }

  test('records are created without images, and a warning for each field says so', async () => {
    await using app = await openTestApp({ files: { 'models/photo.yaml': PHOTO('') } })
    const then = `${why}. A seed is read again by \`admin reset --seed-data\`, which deletes all records; or upload the images to the records`
    assert.deepEqual(await seedPhotos(app), [
      `Seed records with images in photo.cover were created without them: 2. ${then}`,
      `Seed records with images in photo.gallery were created without them: 1. ${then}`,
    ])
    const { records } = await app.app.store.find('photo', { filters: [], sort: [], offset: 0, limit: 9 })
    assert.deepEqual(records, [
      { id: 1, title: 'Reef', cover: null, gallery: [] },
      { id: 2, title: 'Both', cover: null, gallery: [] },
      { id: 3, title: 'None', cover: null, gallery: [] },
    ])
  })

  test('no record is created if a record needs its image', async () => {
    await using app = await openTestApp({ files: { 'models/photo.yaml': PHOTO(', required: true') } })
    await assert.rejects(seedPhotos(app), { code: 'IMAGES_UNAVAILABLE', message: why })
    assert.deepEqual(await app.app.store.get('photo', [1]), [undefined])
  })
})
