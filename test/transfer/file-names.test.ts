import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DiskNames, diskName } from '../../src/transfer/file-names.ts'

const names: readonly (readonly [what: string, name: string, onDisk: string])[] = [
  ['a plain name', 'a b.png', 'a b.png'],
  ['a Japanese name', '写真 その1.jpg', '写真 その1.jpg'],
  ['a Hebrew name', 'תמונה.png', 'תמונה.png'],
  ['an emoji of several parts', '👨‍👩‍👧 ❤️.gif', '👨‍👩‍👧 ❤️.gif'],
  ['a composed letter', 'e\u0301.txt', 'é.txt'],
  ['a path', '../../etc/passwd', '.._.._etc_passwd'],
  ['a path of Windows', 'C:\\x.png', 'C__x.png'],
  ['control characters and quotes', 'a\r\nb\0"c".txt', 'a__b__c_.txt'],
  ['another direction of the text', 'a\u202egnp.exe', 'a_gnp.exe'],
  ['half a character', 'a\ud83d.png', 'a\ufffd.png'],
  ['a folder', '..', 'file'],
  ['spaces', '   ', 'file'],
  ['nothing', '', 'file'],
  ['an end that Windows cuts off', 'a.png. .', 'a.png'],
  ['a hidden file', '.htaccess', '.htaccess'],
  ['a device of Windows', 'con', '_con'],
  ['a device with an extension', 'LPT1.tar.gz', '_LPT1.tar.gz'],
  ['a longer name than that of a device', 'console.log', 'console.log'],
]

for (const [what, name, onDisk] of names) {
  test(`the name on disk of ${what}`, () => assert.equal(diskName(name), onDisk))
}

const long: readonly (readonly [what: string, name: string, end: string])[] = [
  ['255 letters', `${'a'.repeat(251)}.png`, '.png'],
  ['255 Japanese characters', `${'写'.repeat(251)}.png`, '写.png'],
  ['255 emoji', `${'👨‍👩‍👧'.repeat(31)}.jpeg`, '👨‍👩‍👧.jpeg'],
  ['10 kB without an extension', 'x'.repeat(10_000), 'x'],
]

for (const [what, name, end] of long) {
  test(`a name of ${what} is shortened to what file systems take, with its extension, between characters`, () => {
    const found = diskName(name)
    assert.ok(Buffer.byteLength(found) <= 200 && Buffer.byteLength(found) > 150, String(Buffer.byteLength(found)))
    assert.ok(found.endsWith(end), found)
    assert.ok(name.startsWith(found.slice(0, -end.length)))
  })
}

test('files of a folder have names that differ in more than case', () => {
  const folder = new DiskNames()
  const given = ['a.png', 'a.png', 'A.PNG', 'a-2.png', 'é.png', 'e\u0301.png', 'a', 'a']
  assert.deepEqual(
    given.map((name) => folder.next(name)),
    ['a.png', 'a-2.png', 'A-3.PNG', 'a-2-2.png', 'é.png', 'é-2.png', 'a', 'a-2'],
  )
})
