import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AdminError } from '../../src/client/client.ts'
import { FilesDraft, type FileValue, fileEntries, type Upload } from '../../src/ui/cells/file-values.ts'
import { cancelUploads, unsentFiles, uploadsEnded } from '../../src/ui/form/pending-files.ts'
import { isSameContent, sentValues } from '../../src/ui/form/values.ts'
import { formatSize } from '../../src/ui/text/format.ts'
import {
  movedEntry,
  renamedEntry,
  uploadEntry,
  valueOfEntries,
  withEntries,
  withoutEntry,
} from '../../src/ui/widgets/file-entries.ts'
import { fileLimits, fileRefusal } from '../../src/ui/widgets/file-rules.ts'
import { FileUploads } from '../../src/ui/widgets/file-uploads.ts'
import { siteField, siteModel } from './site-fixture.ts'

const stored = (id: string, more: Partial<FileValue> = {}): FileValue => ({
  ...{ id, name: `${id}.jpg`, type: 'image/jpeg', size: 2_000_000, width: 1200, height: 800, alt: null },
  url: `/api/v1/files/album/1/gallery/${id}`,
  ...more,
})

const rules = { multiple: true, max_files: 4, max_size: 8 * 1024 ** 2, accept: ['image/jpeg', 'image/png'] }
const field = siteField('gallery', 'image', { file: { ...rules, thumbnails: {}, min_width: null, min_height: null } })
const view = { name: 'gallery', required: false, readonly: false, disabled: false, is_primary_key: false }
const album = siteModel('album', 'title', [field])
const photo = (name: string, size = 3) => new File([new Uint8Array(size)], name, { type: 'image/jpeg' })

test('values as they are stored and as they are sent have the same content; another order, name or text has not', () => {
  const value = [stored('a'), stored('b')]
  const same = (other: unknown) => isSameContent(field, value, other)
  assert.ok(same([{ id: 'a', name: 'a.jpg', alt: null }, stored('b')]))
  assert.ok(!same(value.toReversed()))
  assert.ok(!same([stored('a', { name: 'x.jpg' }), stored('b')]))
  assert.ok(!same([stored('a', { alt: 'A boat' }), stored('b')]))
  assert.ok(isSameContent(field, [], null))
  assert.deepEqual(sentValues(album, { gallery: [stored('a', { alt: 'A boat' })] }), {
    gallery: [{ id: 'a', name: 'a.jpg', alt: 'A boat' }],
  })
})

test('files are moved, renamed and removed; the next one takes the place of a removed one', () => {
  const entries = fileEntries([stored('a'), stored('b'), stored('c')])
  const keys = (of: typeof entries) => of.map(({ key }) => key).join('')
  assert.equal(keys(movedEntry(entries, 0, 2)), 'bca')
  assert.equal(keys(movedEntry(entries, 2, 0)), 'cab')
  assert.equal(movedEntry(entries, 0, 3), entries)
  assert.equal(keys(withoutEntry(entries, 'b').entries), 'ac')
  assert.deepEqual(
    ['a', 'b', 'c'].map((key) => withoutEntry(entries, key).neighbour),
    ['b', 'c', 'b'],
  )
  assert.equal(withoutEntry(fileEntries(stored('a')), 'a').neighbour, undefined)
  const renamed = valueOfEntries(renamedEntry(entries, 'b', 'boat.jpg', 'A boat'), true)
  assert.deepEqual(renamed, [stored('a'), stored('b', { name: 'boat.jpg', alt: 'A boat' }), stored('c')])
  assert.equal(keys(withEntries(entries, fileEntries(stored('d')), false)), 'd')
})

const LIMITS: readonly (readonly [name: string, type: string, size: number, refusal: string | undefined])[] = [
  ['a.jpg', 'image/jpeg', 8 * 1024 ** 2, undefined],
  ['a.jpg', 'image/jpeg', 8 * 1024 ** 2 + 1, 'size'],
  ['a.heic', '', 10, 'type HEIC'],
  ['a.webp', 'image/webp', 10, 'type WebP'],
  // The server judges what the browser does not know.
  ['a.unknown', '', 10, undefined],
]

for (const [name, type, size, expected] of LIMITS) {
  test(`${name} of ${size} bytes and the type '${type}' is ${expected === undefined ? 'sent' : `refused for its ${expected}`}`, () => {
    const refusal = fileRefusal({ name, type, size }, fileLimits(view, field, 1))
    assert.equal(refusal?.kind === 'type' ? `type ${refusal.type}` : refusal?.kind, expected)
  })
}

test('a form narrows the limits of a field', () => {
  const narrowed = { ...view, options: { max_size: '1 MiB', max_files: 2, accept: ['image/png'] } }
  const { maxSize, maxFiles, accept } = fileLimits(narrowed, field, 1)
  assert.deepEqual({ maxSize, maxFiles, accept }, { maxSize: 1024 ** 2, maxFiles: 2, accept: ['image/png'] })
})

test('sizes have a unit and a digit behind the point at most', () => {
  const sizes = [0, 1023, 1024, 1_300_000, 15_000_000, 5 * 1024 ** 3].map((size) => formatSize(size, 'en'))
  assert.deepEqual(sizes, ['0 B', '1,023 B', '1 KiB', '1.2 MiB', '14 MiB', '5 GiB'])
})

/** Uploads whose requests a test answers. */
function uploadsOfTest() {
  const requests: {
    readonly names: readonly string[]
    readonly signal: AbortSignal
    readonly progress: (sent: number, total: number) => void
    readonly answer: (error?: unknown) => Promise<void>
  }[] = []
  const forgotten: string[] = []
  const uploads = new FileUploads(
    (files, { signal, onProgress }) => {
      return new Promise<readonly FileValue[]>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
        const answer = async (error?: unknown) => {
          if (error === undefined) resolve(files.map(({ name }) => stored(name)))
          else reject(error)
          await new Promise((done) => setImmediate(done))
        }
        requests.push({ names: files.map(({ name }) => name), signal, progress: onProgress, answer })
      })
    },
    (id) => forgotten.push(id),
  )
  return { uploads, requests, forgotten }
}

const states = (of: readonly Upload[]) => of.map((upload) => upload.status().state).join(' ')

const refusal = new AdminError('', { type: 'validation', status: 422, fieldErrors: { gallery: ['gallery must be an image'] } })

test('the files of a drop are one request, which tells each of them how much was sent', async () => {
  const { uploads, requests } = uploadsOfTest()
  const added = uploads.add([photo('a', 100), photo('b', 300)])
  const draft = valueOfEntries(added.map(uploadEntry), true)
  assert.ok(draft instanceof FilesDraft)
  assert.deepEqual(
    requests.map(({ names }) => names),
    [['a', 'b']],
  )
  requests[0]?.progress(250, 500)
  assert.deepEqual(
    added.map((upload) => upload.status()),
    [
      { state: 'sending', sent: 100 },
      { state: 'sending', sent: 100 },
    ],
  )
  await requests[0]?.answer()
  assert.equal(states(added), 'done done')
  assert.deepEqual(sentValues(album, { gallery: draft }), {
    gallery: [
      { id: 'a', name: 'a', alt: null },
      { id: 'b', name: 'b', alt: null },
    ],
  })
})

test('45 files are three requests of at most 20, of which two are under way', async () => {
  const { uploads, requests } = uploadsOfTest()
  const added = uploads.add(Array.from({ length: 45 }, (_, index) => photo(String(index))))
  assert.deepEqual(
    requests.map(({ names }) => names.length),
    [20, 20],
  )
  await requests[0]?.answer()
  assert.deepEqual(
    requests.map(({ names }) => names.length),
    [20, 20, 5],
  )
  assert.equal(added.at(-1)?.status().state, 'sending')
})

test('a failed upload is sent again alone; a file that was given up is deleted when it arrives, and a saved one stays', async () => {
  const { uploads, requests, forgotten } = uploadsOfTest()
  const added = uploads.add([photo('a'), photo('b')])
  await requests[0]?.answer(new AdminError('gone', { type: 'network' }))
  assert.equal(states(added), 'failed failed')
  for (const upload of added) upload.retry()
  assert.deepEqual(
    requests.slice(1).map(({ names }) => names),
    [['a'], ['b']],
  )
  added[1]?.cancel()
  assert.equal(requests[2]?.signal.aborted, true)
  await requests[1]?.answer()
  added[0]?.release()
  added[0]?.cancel()
  assert.deepEqual(forgotten, [])

  const [first, second] = uploads.add([photo('c'), photo('d')])
  first?.cancel()
  assert.equal(requests[3]?.signal.aborted, false)
  await requests[3]?.answer()
  second?.cancel()
  assert.deepEqual(forgotten, ['c', 'd'])
})

test('a save that waits for uploads waits no longer for one that is given up, which comes to nothing even if it arrives', async () => {
  const { uploads, requests, forgotten } = uploadsOfTest()
  const added = uploads.add([photo('a'), photo('b'), photo('c')])
  // The third keeps the request alive.
  const values = { gallery: valueOfEntries(added.slice(0, 2).map(uploadEntry), true) }
  const ended = uploadsEnded(() => values)
  cancelUploads(values)
  await ended
  requests[0]?.progress(1, 9)
  await requests[0]?.answer()
  assert.equal(states(added), 'failed failed done')
  assert.deepEqual(forgotten, ['a', 'b'])
  assert.deepEqual([...unsentFiles(values)], [['gallery', 2]])
})

test('the halves of a refused request find the file that was meant', async () => {
  const { uploads, requests } = uploadsOfTest()
  const added = uploads.add([photo('a'), photo('b'), photo('c')])
  await requests[0]?.answer(refusal)
  assert.deepEqual(
    requests.slice(1).map(({ names }) => names),
    [['a', 'b'], ['c']],
  )
  await requests[1]?.answer()
  await requests[2]?.answer(refusal)
  assert.equal(states(added), 'done done failed')
  const status = added[2]?.status()
  assert.equal(status?.state === 'failed' && status.message, 'gallery must be an image')
})
