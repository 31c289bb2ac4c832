import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { readSeed, type SeedReading, type SeedRecord } from '../../src/transfer/seed.ts'
import { assertLines, linesOf, unmark } from '../config/marks.ts'
import { makeProject } from '../helpers/fixture.ts'
import { BLOG, registryOf } from '../model/models.ts'

const MAX_RECORD = 1_048_576
const post = registryOf(...BLOG).expect('post')

interface Read {
  readonly data: object[]
  /** The position of each record. */
  readonly places: string[]
  readonly faults: string[]
  readonly marks: string[]
}

async function all(reading: SeedReading['records']): Promise<SeedRecord[]> {
  const records: SeedRecord[] = []
  for await (const record of reading) records.push(record)
  return records
}

async function read(name: string, marked: string): Promise<Read> {
  const { text, places: marks } = unmark(marked)
  const file = `seed/${name}`
  await using folder = await makeProject({ [file]: text })
  const {
    records: reading,
    faults,
    sourceOf,
  } = await readSeed({ model: 'post', path: join(folder.path, file), file }, post, MAX_RECORD)
  const records = await all(reading)
  const places = records.map(({ position }) => sourceOf(position).at([])).map((at) => `${at.line}:${at.column}`)
  return { data: records.map(({ data }) => data), places, faults: linesOf(faults.list), marks }
}

const RECORDS = [
  { title: 'Hello, world', views: 3, featured: true, languages: ['en', 'de'], tags: [1, 2] },
  { title: 'Quote " and é 👍', views: null, featured: false, languages: null, tags: [7] },
]

const SAME: Readonly<Record<string, string>> = {
  'post.yaml': `- title: Hello, world
  views: 3
  featured: true
  languages: [en, de]
  tags: [1, 2]
- { title: 'Quote " and é 👍', views: null, featured: false, languages: ~, tags: [7] }
`,
  'post.yml': JSON.stringify(RECORDS),
  'post.json': JSON.stringify(RECORDS, null, 2),
  'post.ndjson': `${RECORDS.map((record) => JSON.stringify(record)).join('\n')}\n`,
  'post.csv': 'title,views,featured,languages,tags\n"Hello, world",3,true,en;de,1;2\n"Quote "" and é 👍",,false,,7\n',
}

describe('the same records in every format', () => {
  for (const [name, text] of Object.entries(SAME)) {
    for (const [variant, written] of Object.entries({
      '': text,
      ', with a byte order mark': `\uFEFF${text}`,
      ', with CRLF': text.replaceAll('\n', '\r\n'),
    })) {
      test(`${name}${variant}`, async () => {
        const { data, faults } = await read(name, written)
        assert.deepEqual(faults, [])
        assert.deepEqual(data, RECORDS)
      })
    }
  }
})

describe('no records', () => {
  const rows: Readonly<Record<string, string>> = {
    'post.yaml': '[]\n',
    'post.json': '[]',
    'post.ndjson': '',
    'post.csv': 'title\n',
  }
  for (const [name, text] of Object.entries(rows)) {
    test(name, async () => {
      const { data, faults } = await read(name, text)
      assert.deepEqual([data, faults], [[], []])
    })
  }

  test('blank lines are not records', async () => {
    assert.deepEqual((await read('post.ndjson', '\n{"title":"a"}\n\n  \n{"title":"b"}\n\n')).data, [
      { title: 'a' },
      { title: 'b' },
    ])
    assert.deepEqual((await read('post.csv', 'title\n\na\n\nb\n')).data, [{ title: 'a' }, { title: 'b' }])
  })
})

describe('cells of a table', () => {
  const rows: readonly (readonly [string, string, unknown])[] = [
    ['title', '007', '007'],
    ['title', 'true', 'true'],
    ['title', ' a ', ' a '],
    ['title', '"two\nlines"', 'two\nlines'],
    ['title', '""', ''],
    ['title', "'=1+1", '=1+1'],
    ['title', "it's", "it's"],
    ['title', '', null],
    ['views', '7', 7],
    ['views', 'many', 'many'],
    ['rating', '4.5', 4.5],
    ['featured', 'false', false],
    ['featured', 'TRUE', true],
    ['featured', 'True', true],
    ['featured', 'FALSE', false],
    ['featured', 'False', false],
    ['featured', 'tRUE', 'tRUE'],
    ['featured', 'toString', 'toString'],
    ['featured', 'no', 'no'],
    ['title', 'TRUE', 'TRUE'],
    ['day', '2024-02-29', '2024-02-29'],
    ['day', '2024-02-30', '2024-02-30'],
    ['published_at', '2024-05-01T10:30:00+02:00', '2024-05-01T08:30:00.000Z'],
    ['author_id', '3', 3],
    ['tags', '1; 2 ;3', [1, 2, 3]],
    ['tags', '1;x', [1, 'x']],
    ['languages', 'en', ['en']],
    ['meta', '"{""a"":[1,null]}"', { a: [1, null] }],
    ['secret', '12345678', '12345678'],
    ['nope', 'x', 'x'],
    ['id', '5', 5],
  ]
  for (const [name, cell, value] of rows) {
    test(`${name}: ${cell}`, async () => {
      const { data, faults } = await read('post.csv', `${name},body\n${cell},x\n`)
      assert.deepEqual(faults, [])
      assert.deepEqual(data, [{ [name]: value, body: 'x' }])
    })
  }
})

describe('the positions of records', () => {
  const rows: Readonly<Record<string, string>> = {
    'post.yaml': '# first\n- »title: a\n\n- »{ title: b }\n-\n  »title: c\n',
    'post.json': '[\n  »{ "title": "a" },\n  »{ "title": "b" }, »{ "title": "c" }\n]\n',
    'post.ndjson': '»{"title":"a"}\n\n»{"title":"b"}\n»{"title":"c"}\n',
    'post.csv': 'title,views\n»a,1\n»b,2\n\n»c,3\n',
  }
  for (const [name, text] of Object.entries(rows)) {
    test(name, async () => {
      const { data, places, marks } = await read(name, text)
      assert.deepEqual(
        data.map((record) => Reflect.get(record, 'title')),
        ['a', 'b', 'c'],
      )
      assert.deepEqual(places, marks)
    })
  }

  test('a table with multi-line cells: the position of a record is its first line', async () => {
    const { places, marks } = await read('post.csv', 'title,views\n»a,1\n»"two\nlines",2\n»c,3\n»"three\n\nlines",4\n»d,5\n')
    assert.deepEqual(places, marks)
  })
})

describe('faults', () => {
  const rows: readonly (readonly [name: string, text: string, ...faults: string[]])[] = [
    ['post.yaml', '»title: a\n', 'A seed file must contain a list of records'],
    ['post.json', '»{ "title": "a" }', 'A seed file must contain a list of records'],
    [
      'post.yaml',
      '- { title: a }\n- »hello\n- »[1]\n- »null\n',
      ...Array<string>(3).fill('A record must map field names to values'),
    ],
    ['post.json', '[\n  »1,\n  { "title": "a" }\n]', 'A record must map field names to values'],
    ['post.ndjson', '{"title":"a"}\n»[1]\n»"x"\n', ...Array<string>(2).fill('A record must be an object')],
    ['post.yaml', '- title: a\n  »title: b\n', "Not valid YAML: the key 'title' is given twice in the same mapping; remove one"],
    ['post.yaml', '- title: a\n  »__proto__: { x: 1 }\n', "'__proto__' cannot be a key"],
    ['post.json', '[\n  { "title": "a" },\n»]', 'Not valid JSON: value expected'],
    ['post.ndjson', '{"title":"a"}\n»{"title":\n{"title":"c"}\n»nope\n', 'Not valid JSON: …', 'Not valid JSON: …'],
    ['post.csv', 'title,views\na,1\n»b,2,3\nc\n', 'The row has 3 cells where the header has 2 columns'],
    ['post.csv', 'title,views\na,1\n»c\nd,2,3\n', 'The row has 1 cells where the header has 2 columns'],
    [
      'post.csv',
      'title,meta\n»a,{broken\n»b,1e999\n»c,plain\n',
      'meta must be valid JSON, with strings in double quotes',
      'meta is a number that cannot be kept exactly: 1e999',
      'meta must be valid JSON, with strings in double quotes',
    ],
    ['post.csv', 'title,views\na,1\n»"b,2\n', 'Not valid CSV: …'],
    ['post.csv', '»title,title\na,b\n', "The column 'title' occurs twice"],
    ['post.csv', '»title,views,body,views\na,1,x,2\n', "The column 'views' occurs twice"],
    ['post.csv', 'title,views\n"two\nlines",1\n»b,2,3\n', 'The row has 3 cells where the header has 2 columns'],
  ]
  for (const [name, text, ...faults] of rows) {
    test(`${name}: ${JSON.stringify(text)}`, async () => {
      const found = await read(name, text)
      assertLines(
        found.faults,
        faults.map((message, index) => `seed/${name}:${found.marks[index]}: ${message}`),
      )
    })
  }

  for (const name of ['post.yaml', 'post.json', 'post.ndjson', 'post.csv']) {
    test(`${name} that cannot be read`, async () => {
      await using folder = await makeProject({ 'seed/other.txt': '' })
      const file = `seed/${name}`
      const { records, faults } = await readSeed({ model: 'post', path: join(folder.path, file), file }, post, MAX_RECORD)
      assert.deepEqual(await all(records), [])
      assertLines(linesOf(faults.list), [`${file}:1:1: Cannot be read: ENOENT…`])
    })
  }

  test('of more than a thousand lines are reported up to a limit', async () => {
    const { faults } = await read('post.ndjson', 'nope\n'.repeat(1500))
    assert.equal(faults.length, 1001)
    assert.match(faults.at(-1) ?? '', /:1000:1: Further faults of the file are not shown$/)
  })

  test('valid records are read beside invalid ones', async () => {
    assert.deepEqual((await read('post.ndjson', '{"title":"a"}\nnope\n{"title":"c"}\n')).data, [{ title: 'a' }, { title: 'c' }])
  })

  test('a __proto__ key in NDJSON is an ordinary key and does not pollute the prototype', async () => {
    const { data } = await read('post.ndjson', '{"__proto__":{"polluted":1},"title":"a"}\n')
    assert.deepEqual(Object.keys(data[0] ?? {}), ['__proto__', 'title'])
    assert.equal(Reflect.get({}, 'polluted'), undefined)
  })

  test('a __proto__ column of a table is kept and does not pollute the prototype', async () => {
    const { data } = await read('post.csv', '__proto__,title\nx,a\n')
    assert.deepEqual(Object.keys(data[0] ?? {}), ['__proto__', 'title'])
  })
})

describe('a file that is not in UTF-8 is refused by the name of its encoding', () => {
  for (const name of Object.keys(SAME)) {
    test(name, async () => {
      const file = `seed/${name}`
      await using folder = await makeProject({ [file]: '' })
      const path = join(folder.path, file)
      const faultsOf = async (bytes: Uint8Array) => {
        await writeFile(path, bytes)
        const { records, faults } = await readSeed({ model: 'post', path, file }, post, MAX_RECORD)
        await all(records)
        return linesOf(faults.list)
      }
      const text = SAME[name] ?? ''
      assertLines(await faultsOf(Buffer.from(`\uFEFF${text}`, 'utf16le')), [
        `${file}:1:1: The file is in UTF-16; save it as UTF-8`,
      ])
      const latin = 'The file is not in UTF-8, but probably in Latin-1 (Windows-1252); save it as UTF-8'
      assertLines(await faultsOf(Buffer.from(text.replace('👍', ''), 'latin1')), [`${file}:1:1: ${latin}`])
    })
  }
})
