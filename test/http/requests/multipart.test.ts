import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { AppError } from '../../../src/errors.ts'
import { type FormPart, readForm } from '../../../src/http/multipart.ts'

const TYPE = 'multipart/form-data; boundary=xx'
const END = '--xx--\r\n'

const part = (disposition: string, content = 'abc', more = '') =>
  `--xx\r\nContent-Disposition: ${disposition}\r\n${more}\r\n${content}\r\n`
const file = (content: string, name = 'a.txt') => part(`form-data; name="file"; filename="${name}"`, content)

interface Taken extends Omit<FormPart, 'content'> {
  readonly text: string
}

/** Reads a form that arrives in pieces. */
async function read(pieces: readonly (string | Buffer)[], { type = TYPE, maxParts = 20 } = {}): Promise<Taken[]> {
  const taken: Taken[] = []
  const body = Readable.from(pieces.map((piece) => Buffer.from(piece)))
  await readForm({ contentType: type, body, maxParts }, async ({ content, ...rest }) => {
    taken.push({ ...rest, text: (await buffer(content)).toString() })
  })
  return taken
}

describe('a form', () => {
  const form = `preamble\r\n${part('form-data; name="data"', '{"a":1}', 'Content-Type: application/json\r\n')}${file('1')}${file('', 'b')}${END}epilogue`
  const parts = [
    { name: 'data', type: 'application/json', fileName: undefined, text: '{"a":1}' },
    { name: 'file', type: '', fileName: 'a.txt', text: '1' },
    { name: 'file', type: '', fileName: 'b', text: '' },
  ]

  for (const [name, pieces] of [
    ['in one piece', [form]],
    ['byte by byte', [...form]],
    ['with its epilogue on its own', [form.slice(0, -8), form.slice(-8), 'more', 'and more']],
  ] as const) {
    test(`${name} is read part by part`, async () => assert.deepEqual(await read(pieces), parts))
  }

  for (const size of [1, 16_384, 65_536, 1_000_000]) {
    test(`has files of ${size} bytes`, async () => {
      const text = '\r\n--x'.repeat(size / 5 + 1).slice(0, size)
      const whole = Buffer.from(`${file(text)}${file(text)}${END}`)
      const pieces = Array.from({ length: Math.ceil(whole.length / 50_000) }, (_, index) =>
        whole.subarray(index * 50_000, (index + 1) * 50_000),
      )
      assert.ok((await read(pieces)).every((each) => each.text === text))
    })
  }

  for (const [disposition, fileName] of [
    ['filename="%22a%22 50%25.txt"', '"a" 50%25.txt'],
    ['filename="\\"a\\".txt"', '"a".txt'],
    ['filename="C:\\x"', 'x'],
    ['filename="../../x"', 'x'],
    ['filename="a%0D%0Ab"', 'ab'],
    ['filename="a\0b"', 'ab'],
    ['filename="\u202egnp.a"', 'gnp.a'],
    ['filename="写真.png"', '写真.png'],
    ['filename=plain.txt', 'plain.txt'],
    ['filename=""', 'file'],
    ['filename="a;b=c.txt"', 'a;b=c.txt'],
    ['filename="ae.txt"; filename*=UTF-8\'\'%C3%A4.txt', 'ä.txt'],
    [`filename="${'a'.repeat(10_000)}.png"`, `${'a'.repeat(251)}.png`],
    ['filename="con"', 'con'],
  ] as const) {
    test(`names a file: ${disposition.slice(0, 40)}`, async () => {
      const [only] = await read([`${part(`form-data; name="file"; ${disposition}`)}${END}`])
      assert.deepEqual(only, { name: 'file', type: '', fileName, text: 'abc' })
    })
  }

  const NOT_FORM = /is not multipart\/form-data/
  for (const [name, pieces, says, options] of [
    ['without its last boundary', [file('abc')], NOT_FORM],
    ['that ends in a header', ['--xx\r\nContent-Dispo'], NOT_FORM],
    ['that ends behind a header', ['--xx\r\nContent-Disposition: form-data; name="file"\r\n\r\nabc'], NOT_FORM],
    ['without a byte', [], NOT_FORM],
    ['without a part', [END], NOT_FORM],
    ['with another boundary', [`${file('abc')}${END}`], NOT_FORM, { type: 'multipart/form-data; boundary=yy' }],
    ['with a boundary of 71 characters', [], NOT_FORM, { type: `multipart/form-data; boundary=${'x'.repeat(71)}` }],
    ['with a part that is no form data', [`${part('attachment; filename="a"')}${END}`], NOT_FORM],
    ['with a part without a name', [`${part('form-data; filename="a"')}${END}`], NOT_FORM],
    ['with a part without headers', ['--xx\r\n\r\nabc\r\n', END], NOT_FORM],
    ['with a part whose header does not end', ['--xx\r\nA: b\r\n', file('abc'), END], NOT_FORM],
    ['with a line break in a name', [`${part('form-data; name="file"; filename="a\nb"')}${END}`], NOT_FORM],
    ['with a header of 20 KB', [`${part('form-data; name="a"', '', `X-A: ${'a'.repeat(20_000)}\r\n`)}${END}`], NOT_FORM],
    ['with a header of 200 KB', [`${part(`form-data; name="${'a'.repeat(200_000)}"`)}${END}`], NOT_FORM],
    [
      'with a part in base64',
      [part('form-data; name="a"', '', 'Content-Transfer-Encoding: Base64\r\n'), END],
      /'a' must not have/,
    ],
    ['of one part too many', [file('1').repeat(3), END], /more than 2 parts/, { maxParts: 2 }],
    ['of 100,000 parts', [file('').repeat(100_000), END], /more than 20 parts/],
  ] as const) {
    test(`is refused: one ${name}`, () =>
      assert.rejects(
        read(pieces, options),
        (error) => error instanceof AppError && error.status === 400 && says.test(error.message),
      ))
  }

  test('that is refused in the middle of a part gives its reader the same error', async () => {
    const seen: unknown[] = []
    const body = Readable.from(
      (async function* () {
        yield Buffer.from(file('abc').slice(0, -2))
        throw new AppError('PAYLOAD_TOO_LARGE', 'too large')
      })(),
    )
    const reading = readForm({ contentType: TYPE, body, maxParts: 1 }, async ({ content }) => {
      await buffer(content).catch((error) => seen.push(error))
    })
    await assert.rejects(reading, { code: 'PAYLOAD_TOO_LARGE' })
    assert.equal(seen.length, 1)
    assert.equal((seen[0] as AppError).code, 'PAYLOAD_TOO_LARGE')
  })

  test('is not read on behind a part that is refused', async () => {
    let sent = 0
    const body = Readable.from(
      (async function* () {
        yield Buffer.from(file('abc').slice(0, -2))
        for (; sent < 1000; sent++) yield Buffer.alloc(65_536)
      })(),
    )
    const reading = readForm({ contentType: TYPE, body, maxParts: 1 }, async () => {
      throw new AppError('PAYLOAD_TOO_LARGE', 'too large')
    })
    await assert.rejects(reading, { code: 'PAYLOAD_TOO_LARGE' })
    assert.ok(sent < 10, `${sent} pieces`)
  })

  test('is read no faster than its parts are taken', async () => {
    let sent = 0
    const body = Readable.from(
      (async function* () {
        yield Buffer.from(file('abc').slice(0, -2))
        for (; sent < 100; sent++) yield Buffer.alloc(65_536)
        yield Buffer.from(`\r\n${END}`)
      })(),
    )
    let read = 0
    await readForm({ contentType: TYPE, body, maxParts: 1 }, async ({ content }) => {
      for await (const piece of content) {
        read += (piece as Buffer).length
        await new Promise((resolve) => setImmediate(resolve))
        assert.ok(sent * 65_536 - read < 3_000_000, `${sent * 65_536 - read} bytes ahead`)
      }
    })
    assert.equal(read, 3 + 100 * 65_536)
  })
})
