import { gzipSync } from 'node:zlib'
import { type Shape, type ShapeRequest, shape } from './requests.ts'
import { times } from './texts.ts'

/** The size of a body just below the default `max_upload_bytes`. */
const FULL = 10_400_000

/** A file for a model. */
export const importOf = (model: string, type: string, body: string | Buffer, query = ''): ShapeRequest => {
  return { method: 'POST', path: `/api/v1/models/${model}/import${query}`, type, body }
}

const zipped = (model: string, text: string, query = ''): ShapeRequest => {
  return { ...importOf(model, 'text/csv', gzipSync(text), query), encoding: 'gzip' }
}

const csv = (key: string, name: string, model: string, text: () => string, query = ''): Shape => {
  return shape(key, `import of ${name}`, [200, 400, 413], () => [zipped(model, text(), query)])
}

/** The same records as JSON and as NDJSON. */
const records = (key: string, name: string, record: () => string): Shape[] => [
  shape(`json-${key}`, `import of ${name} in JSON`, [200, 400, 413], () => [
    importOf('page', 'application/json', `[${record()}]`),
  ]),
  shape(`ndjson-${key}`, `import of ${name} in NDJSON`, [200, 400, 413], () => [
    importOf('page', 'application/x-ndjson', `${record()}\n`),
  ]),
]

const numbers = (count: number, numeral: string): string => `{"title":"x","data":[${times(count, () => numeral)}]}`

/** Files whose size is in another place than the limits expect: each is refused, or stored, in small steps. */
export const IMPORT_SHAPES: readonly Shape[] = [
  csv('csv-commas', 'a row of 200,000 commas', 'member', () => `username,email\n${','.repeat(200_000)}\n`),
  csv(
    'csv-commas-400000',
    'a row of 400,000 commas',
    'member',
    () => `username,email\n${','.repeat(400_000)}\n`,
    '?dry_run=true',
  ),
  csv(
    'csv-commas-full',
    'a row of 9,000,000 commas',
    'member',
    () => `username,email\n${','.repeat(9_000_000)}\n`,
    '?dry_run=true',
  ),
  csv('csv-header', 'a header of 1,200,000 columns', 'member', () => `${times(1_200_000, (index) => `c${index}`)}\n1\n`),
  csv(
    'csv-columns',
    '1,000 unknown columns in 5,000 rows',
    'member',
    () => `${times(1000, (index) => `usernames_${index}`.padEnd(60, 'x'))}\n${`${','.repeat(999)}\n`.repeat(5000)}`,
  ),
  csv('csv-empty-rows', '5,000,000 rows with one cell', 'member', () => `username\n${'a\n'.repeat(5_000_000)}`),
  csv('csv-empty-lines', '9,000,000 empty lines', 'member', () => `username\n${'\n'.repeat(9_000_000)}x\n`),
  csv('csv-quotes', '9 MB of quotes', 'page', () => `title\n${'"'.repeat(9_000_000)}\n`),
  csv('csv-one-cell', 'one cell of 10 MB', 'page', () => `title,body\nx,"${'lorem ipsum '.repeat(860_000)}"\n`),
  csv(
    'csv-numbers',
    'a cell of JSON with 400,000 numbers',
    'page',
    () => `title,data\nx,"[${times(400_000, () => '1.25e300')}]"\n`,
  ),
  csv('csv-items', 'a cell with 3,000,000 items', 'page', () => `title,tags\nx,"${';'.repeat(3_000_000)}"\n`),
  csv('csv-faults', '100,000 cells that are no JSON', 'page', () => `title,data\n${'x,{\n'.repeat(100_000)}`),
  ...records('items', '3,000,000 items', () => times(3_000_000, () => '1')),
  ...records('numbers', '5,000,000 numbers in one record', () => numbers(5_000_000, '1')),
  ...records('exponents', '450,000 numbers with exponents in one record', () => numbers(450_000, '1.25e300')),
  ...records('ones', '2,000,000 numbers in one record', () => numbers(2_000_000, '1')),
  ...records(
    'pairs',
    '350,000 pairs of keys in one record',
    () => `{"title":"x","data":{"a":1,${times(350_000, (index) => `"a${index}":1`)},"a":1}}`,
  ),
  ...records('lists', '3,000,000 empty lists in one record', () => numbers(3_000_000, '[]')),
  ...records('nested', '9 MB of brackets', () => `{"data":${'['.repeat(9_000_000)}`),
  ...records('string', 'a text of 10 MB', () => `{"title":"x","body":"${'lorem ipsum '.repeat(860_000)}"}`),
  ...records('escapes', '1,700,000 escapes in a text', () => `{"title":"x","body":"${'\\u0000'.repeat(1_700_000)}"}`),
  ...records('backslashes', '9 MB of backslashes in a text', () => `{"title":"x","body":"${'\\\\'.repeat(4_500_000)}"}`),
  ...records('keys', 'a record of 700,000 keys', () => `{${times(700_000, (index) => `"k${index}":1`)}}`),
  ...records('references', '90,000 references to no record', () => {
    return `{"title":"x","tags":[${times(90_000, (index) => `{"name":"t${index}"}`)}]}`
  }),
  shape('ndjson-lines', 'import of 5,000,000 lines of NDJSON', [400, 413], () => [
    importOf('page', 'application/x-ndjson', '1\n'.repeat(5_000_000)),
  ]),
  shape('ndjson-empty-lines', 'import of 9,000,000 empty lines of NDJSON', [200], () => [
    importOf('page', 'application/x-ndjson', '\n'.repeat(9_000_000)),
  ]),
  shape('form-parts', 'import of a form with 150,000 parts', [400, 413], () => {
    const part = '--xx\r\nContent-Disposition: form-data; name="file"\r\n\r\na\r\n'
    const body = `${part.repeat(Math.floor(FULL / part.length))}--xx--\r\n`
    return [importOf('page', 'multipart/form-data; boundary=xx', body)]
  }),
  shape('form-file', 'import of a form with a file of 10 MB of dashes', [400, 413], () => {
    const head =
      '--xx\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\ntitle\r\n'
    return [importOf('page', 'multipart/form-data; boundary=xx', `${head}${'\r\n--x'.repeat(2_000_000)}\r\n--xx--\r\n`)]
  }),
]
