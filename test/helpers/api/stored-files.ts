import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { FILE_TABLE, fileIdOf, type StoredFile } from '../../../src/model/files.ts'
import { receive } from '../../../src/store/blobs/receive.ts'
import type { Operation } from '../../../src/store/store.ts'
import { isoTime } from '../../../src/util/clock.ts'
import { ADMIN_SEED, TEST_START, type TestApp } from './app.ts'

/** A project of articles with files: some are of their author only, and those of the model `Poster` are public. */
export const FILES_PROJECT: Readonly<Record<string, string>> = {
  'models/user.yaml': 'extends: user\nfields:\n  - { name: portrait, type: image }\n',
  'models/article.yaml': `
name: Article
access: { view: 'self.owner_id == user.id || self.shared == true' }
fields:
  - { name: title, type: string }
  - { name: owner_id, type: foreignkey, model: User }
  - { name: shared, type: boolean }
  - { name: cover, type: image, thumbnails: { card: 64x36 } }
  - { name: manual, type: file }
  - { name: attachments, type: file, multiple: true }
`,
  'models/poster.yaml': `
name: Poster
access: { view: public }
fields:
  - { name: title, type: string }
  - { name: article_id, type: foreignkey, model: Article }
  - { name: picture, type: image }
`,
  'models/invoice.yaml': `
name: Invoice
fields:
  - { name: number, type: string }
  - { name: scan, type: file }
`,
  ...ADMIN_SEED,
  'seed/user.yaml': `
- { username: admin, email: admin@example.org, password: a-long-password, is_superuser: true }
- { username: ann, email: ann@example.org, password: a-long-password }
- { username: bob, email: bob@example.org, password: a-long-password }
`,
}

/** A PNG of one pixel. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** A file to store. */
export interface TestFile {
  readonly bytes: Buffer | string
  readonly name?: string
  readonly type?: string
  /** Of an image, in pixels. */
  readonly width?: number
}

/** A file of a record, and the address that it has. */
export interface TestStoredFile {
  readonly file: StoredFile
  readonly url: string
}

/** Stores bytes as a pending upload for a field of a model. */
async function upload({ app }: TestApp, model: string, field: string, given: TestFile): Promise<StoredFile> {
  const { bytes, name = 'file.bin', type = 'application/octet-stream', width } = given
  const received = await receive(Readable.from([Buffer.from(bytes)]), app.blobs.incoming, { maxBytes: 1 << 30 })
  await app.blobs.keep(received)
  const { sha256, size } = received
  const at = isoTime(TEST_START)
  const pixels = { width: width ?? null, height: width ?? null }
  const row = { token: 'k3J9x0aQ2m', sha256, size, name, type, ...pixels, model, field, user_id: 1, at, record_id: null }
  const [stored] = await transact(app, [{ kind: 'insert', table: FILE_TABLE, values: row }])
  return { id: fileIdOf(row.token, Number(stored?.id)), name, type, size, sha256, ...pixels, alt: null, uploaded_at: at }
}

/** Stores a file in a field of a record that is there. */
export async function storeFile(
  test: TestApp,
  model: string,
  id: number,
  field: string,
  given: TestFile,
): Promise<TestStoredFile> {
  const file = await upload(test, model, field, given)
  const isList = test.app.project.registry.expect(model).fields.get(field)?.type.list === true
  const [record] = await test.app.store.get(model, [id])
  const value = isList ? [...((record?.[field] ?? []) as StoredFile[]), file] : file
  await setValue(test, model, id, { [field]: value })
  return { file, url: `${test.app.settings.base_path}/api/v1/files/${model}/${id}/${field}/${file.id}` }
}

/** Sets values of a record, without the checks of requests. */
export const setValue = ({ app }: TestApp, table: string, id: number, values: object): Promise<unknown> =>
  transact(app, [{ kind: 'update', table, id, values: values as never }])

/** Creates a record, without the checks of requests. */
export async function storeRecord({ app }: TestApp, table: string, values: object): Promise<number> {
  const [record] = await transact(app, [{ kind: 'insert', table, values: values as never }])
  return Number(record?.id)
}

async function transact(app: TestApp['app'], operations: readonly Operation[]) {
  const outcome = await app.store.transact(operations)
  assert.ok(outcome.ok, JSON.stringify(outcome))
  return outcome.records
}
