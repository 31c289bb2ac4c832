import assert from 'node:assert/strict'
import { FILE_TABLE, fileIdOf } from '../../../src/model/files.ts'
import type { StoredRecord } from '../../../src/store/store.ts'
import type { JsonObject } from '../../../src/util/json.ts'
import { openTestApp, type TestApp, type TestAppOptions } from '../../helpers/api/app.ts'
import { type Reply, send } from '../../helpers/api/scenario.ts'

const USER = (name: string, more: string): string =>
  `- { username: ${name}, email: ${name}@example.org, password: harbour-${name}-2024, ${more} }\n`

const CODENAMES = ['add_article', 'change_article', 'view_article', 'delete_article']

/** Articles with pictures, some of which are hidden, and notes with files. */
export const ARTICLES = {
  'models/article.yaml': `name: Article
timestamps: true
fields:
  - { name: title, type: string, required: true }
  - { name: hidden, type: boolean, default: false }
  - { name: cover, type: image, max_size: 8 MiB, min_width: 1200 }
  - { name: gallery, type: image, multiple: true, max_files: 3 }
  - { name: manual, type: file, accept: [application/pdf] }
access: { view: 'self.hidden == false' }
`,
  'models/note.yaml': `name: Note
fields:
  - { name: text, type: string }
  - { name: file, type: file, required: true }
  - { name: article_id, type: foreignkey, model: article, on_delete: cascade }
`,
  'seed/permission.yaml': CODENAMES.map((codename) => `- { codename: ${codename} }\n`).join(''),
  'seed/user.yaml': `${USER('admin', 'is_superuser: true')}${USER('ann', 'permissions: [1, 2, 3, 4]')}${USER('ben', 'permissions: [1, 2, 3, 4]')}`,
}

/** Opens an application with articles. Its history has no end. */
export const openArticles = ({ files = {}, ...options }: TestAppOptions = {}): Promise<TestApp> =>
  openTestApp({ files: { ...ARTICLES, ...files }, settings: { history: { days: 90 } }, ...options })

let uploads = 0

/** Stores the row of an upload, as an upload does, and returns the id of the file. By default it is a picture of the administrator for the gallery. */
export async function upload({ app, time }: TestApp, values: JsonObject = {}): Promise<string> {
  const number = ++uploads
  const row = {
    ...{ token: `token${String(number).padStart(8, '0')}`, sha256: String(number).padStart(64, 'a'), size: 1000 + number },
    ...{ name: `${number}.png`, type: 'image/png', width: 1600, height: 900, model: 'article', field: 'gallery', user_id: 1 },
    at: new Date(time.clock()).toISOString(),
    ...values,
  }
  const outcome = await app.records.commitInternal([{ kind: 'insert', table: FILE_TABLE, values: row }])
  assert.ok(outcome.ok)
  return fileIdOf(row.token, outcome.records[0]?.id ?? 0)
}

/** Where the files are: the field and the id of the record, with `!` once it has given the file up. */
export async function places({ app }: TestApp): Promise<readonly string[]> {
  const sort = [{ field: 'id', order: 'asc' }] as const
  const { records } = await app.store.find(FILE_TABLE, { filters: [], sort, offset: 0, limit: 100_000 })
  const place = ({ field, record_id: id, released_at: at }: StoredRecord) => `${field} ${id ?? 'pending'}${at == null ? '' : '!'}`
  return records.map(place)
}

/** Sends a request to the API: `PUT article/1`. */
export const ask = (app: TestApp, request: string, body?: unknown, as: string | null = 'admin'): Promise<Reply> =>
  send(app, {
    request: request.replace(' ', ' /api/v1/models/') as `GET /${string}`,
    as,
    ...(body === undefined ? {} : { body }),
  })
