import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { uploadedFile } from '../../../src/http/upload.ts'
import { turnsDuring } from '../../helpers/turns.ts'

const TYPE = 'multipart/form-data; boundary=xx'
const HEAD = '--xx\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n'
const END = '\r\n--xx--\r\n'

const read = (body: string, type = TYPE) => uploadedFile(type, Buffer.from(body))

async function contentOf(body: string): Promise<string> {
  const { format, open } = await read(body)
  assert.equal(format, 'csv')
  const pieces: Uint8Array[] = []
  for await (const piece of open()) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces).toString()
}

describe('the file of a form', () => {
  for (const [name, content] of [
    ['without a byte', ''],
    ['with the text of the boundary in a line', 'a--xx--b\r\nxx\r\n--x'],
    ['that ends with line breaks', 'a\r\n\r\n'],
    ['with the boundary at the end of a slice', `${'a'.repeat(65_536 - 3)}`],
    ['with characters of several bytes', '😀é\r\n'],
  ] as const) {
    test(`${name} is as it was sent`, async () => {
      assert.equal(await contentOf(`${HEAD}\r\n${content}${END}`), content)
    })
  }

  test('is read where text follows the form, and where it is sent as binary', async () => {
    const body = `${HEAD}Content-Transfer-Encoding: binary\r\n\r\na\r\n${END}--xx\r\n`
    assert.equal(await contentOf(body), 'a\r\n')
  })

  for (const [name, body, says, type] of [
    ['a form without an end', `${HEAD}\r\na\r\n`, /is not multipart/],
    ['a form without parts', '--xx--\r\n', /is not multipart/],
    ['a form with another boundary', `${HEAD}\r\na${END}`, /is not multipart/, 'multipart/form-data; boundary=yy'],
    ['a form without a boundary', `${HEAD}\r\na${END}`, /is not multipart/, 'multipart/form-data'],
    ['a part without an end of its headers', `${HEAD}${'a'.repeat(20_000)}${END}`, /is not multipart/],
    ['a part with very long headers', `${HEAD}X-Long: ${'a'.repeat(20_000)}\r\n\r\n${END}`, /is not multipart/],
    ['two parts', `${HEAD}\r\na\r\n${HEAD}\r\na${END}`, /one part, 'file'/],
    [
      'an encoded part',
      `${HEAD}Content-Transfer-Encoding: base64\r\n\r\nYQ==${END}`,
      /must not have a Content-Transfer-Encoding/,
    ],
  ] as const) {
    test(`is refused: ${name}`, () => assert.rejects(read(body, type), says))
  }

  test('lets other work run while its end is searched', async () => {
    const body = Buffer.from(`${HEAD}\r\n${'\r\n--x'.repeat(200_000)}${END}`)
    const turns = await turnsDuring(() => uploadedFile(TYPE, body))
    assert.ok(turns >= 10, `${turns} turns`)
  })
})
