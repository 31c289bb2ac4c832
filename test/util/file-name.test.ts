import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { cleanFileName } from '../../src/util/file-name.ts'

describe('the name of a file that a client sent', () => {
  for (const [sent, name] of [
    ['photo.jpeg', 'photo.jpeg'],
    ['../../etc/passwd', 'passwd'],
    ['../../x', 'x'],
    ['C:\\x', 'x'],
    ['a/..', 'file'],
    ['.', 'file'],
    ['a/', 'file'],
    ['  ', 'file'],
    ['', 'file'],
    ['.htaccess', '.htaccess'],
    ['con', 'con'],
    ['a\0b.png', 'ab.png'],
    ['a\r\nSet-Cookie: b.png', 'aSet-Cookie: b.png'],
    ['..\0/..\0', 'file'],
    ['a\u007f\u0085b', 'ab'],
    ['invoice\u202egpj.exe', 'invoicegpj.exe'],
    ['\u2066a\u2069\u200e.txt', 'a.txt'],
    ['"quoted".png', '"quoted".png'],
    ['写真 שלום 👩‍🚀.png', '写真 שלום 👩‍🚀.png'],
    ['a\ud800b', 'a\ufffdb'],
    ['a'.repeat(255), 'a'.repeat(255)],
    [`${'a'.repeat(10_000)}.jpeg`, `${'a'.repeat(250)}.jpeg`],
    ['👍'.repeat(300), '👍'.repeat(255)],
    [`.${'a'.repeat(300)}`, `.${'a'.repeat(254)}`],
  ] as const) {
    test(`${JSON.stringify(sent.slice(0, 30))} is ${JSON.stringify(name.slice(0, 30))}`, () =>
      assert.equal(cleanFileName(sent), name))
  }
})
