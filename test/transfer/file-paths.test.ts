import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openInside, readNamedPath } from '../../src/transfer/file-paths.ts'
import { withUploadedFiles } from '../../src/transfer/file-uploads.ts'

let root: string
let folder: string

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'admin-paths-'))
  folder = join(root, 'seed')
  await mkdir(join(folder, 'files'), { recursive: true })
  await mkdir(join(root, 'seed-other'))
  for (const path of ['outside.txt', 'seed/a.txt', 'seed/files/写真.txt', 'seed-other/b.txt'])
    await writeFile(join(root, path), path)
  await symlink('a.txt', join(folder, 'inner.txt'))
  await symlink('../outside.txt', join(folder, 'outer.txt'))
  await symlink('..', join(folder, 'up'))
  await symlink('../seed-other', join(folder, 'other'))
  await symlink('/etc', join(folder, 'etc'))
  await symlink('nowhere', join(folder, 'dangling'))
  execFileSync('mkfifo', [join(folder, 'pipe')])
})

after(() => rm(root, { recursive: true }))

for (const path of ['a.txt', './a.txt', 'files/写真.txt', 'inner.txt', 'files//写真.txt']) {
  test(`a path inside the folder is opened: ${path}`, async () => {
    const { handle, size } = await openInside(folder, path)
    assert.equal((await handle.readFile()).length, size)
    await handle.close()
  })
}

const OUTSIDE = /^must be a path inside the folder of the file that names it, not /
const MISSING = /^names a file that does not exist: /

const refused: readonly (readonly [what: string, path: string, message: RegExp])[] = [
  ['up', '../outside.txt', OUTSIDE],
  ['up and back', '../seed/a.txt', OUTSIDE],
  ['up in the middle', 'files/../../outside.txt', OUTSIDE],
  ['up in the way of Windows', 'files\\..\\..\\outside.txt', OUTSIDE],
  ['absolute', '/etc/hostname', OUTSIDE],
  ['absolute on Windows', 'C:\\x', OUTSIDE],
  ['on a drive of Windows', 'c:a.txt', OUTSIDE],
  ['on a server', '\\\\server\\x', OUTSIDE],
  ['empty', '', OUTSIDE],
  ['with NUL', 'a.txt\0.png', OUTSIDE],
  ['a link to a file outside', 'outer.txt', OUTSIDE],
  ['through a link to a folder above', 'up/outside.txt', OUTSIDE],
  ['through a link to a folder whose name begins alike', 'other/b.txt', OUTSIDE],
  ['through a link to an absolute folder', 'etc/hostname', OUTSIDE],
  ['a link to nothing', 'dangling', MISSING],
  ['no file', 'b.txt', MISSING],
  ['below a file', 'a.txt/b', MISSING],
  ['a folder', 'files', /^must name a file; 'files' is none$/],
  ['a pipe', 'pipe', /^must name a file; 'pipe' is none$/],
]

for (const [what, path, message] of refused) {
  test(`a path is refused: ${what}`, async () => {
    await assert.rejects(openInside(folder, path), { message })
  })
}

const items: readonly (readonly [item: unknown, reference: unknown])[] = [
  ['files/a.png', { path: 'files/a.png', name: 'a.png', alt: null }],
  [{ path: 'files/a.png' }, { path: 'files/a.png', name: 'a.png', alt: null }],
  [
    { path: 'a.png', name: 'Ä.png', alt: 'A picture' },
    { path: 'a.png', name: 'Ä.png', alt: 'A picture' },
  ],
  [{ id: 'abcdefghijkl-1f' }, undefined],
  [17, undefined],
  [null, undefined],
]

for (const [item, reference] of items) {
  test(`the reference of ${JSON.stringify(item)}`, () => assert.deepEqual(readNamedPath(item), reference))
}

const faulty: readonly (readonly [item: unknown, message: RegExp])[] = [
  [{ path: 1 }, /^must have a text as its path$/],
  [{ path: 'a', name: null }, /^must have a text as its name$/],
  [{ path: 'a', alt: 1 }, /^must have a text as its alt$/],
  [{ path: 'a', id: 'x' }, /^has path, name and alt, not 'id'$/],
]

for (const [item, message] of faulty) {
  test(`the reference ${JSON.stringify(item)} is refused`, () => assert.throws(() => readNamedPath(item), { message }))
}

test('paths become ids in their order; ids and objects with an id stay', async () => {
  const uploaded: string[] = []
  const value = ['a.txt', 'abcdefghijkl-1f', { path: 'files/写真.txt', alt: 'Photo' }, { id: 'abcdefghijkl-2' }]
  const found = await withUploadedFiles(folder, 'scans', value, async (field, { size }, { name }) => {
    uploaded.push(`${field} ${name} ${size}`)
    return `id-${uploaded.length}`
  })
  assert.deepEqual(found, ['id-1', 'abcdefghijkl-1f', { id: 'id-2', alt: 'Photo' }, { id: 'abcdefghijkl-2' }])
  assert.deepEqual(uploaded, ['scans a.txt 10', 'scans 写真.txt 21'])
})
