import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { TestApp } from '../../helpers/api/app.ts'
import type { Reply } from '../../helpers/api/scenario.ts'
import { documentOf } from '../../openapi/documents.ts'
import { ACTORS, type Actor, ask, copyOf, MODELS, NOTES, type NoteId, notesTest, rightsOf } from './notes.ts'

/** What an actor may do with a note: nothing is known of hidden ones, seen ones may be read, writable ones written. */
type Standing = 'hidden' | 'seen' | 'writable'

function standingOf(as: Actor, id: NoteId): Standing {
  const { seen, writable } = rightsOf(as)
  return writable.includes(id) ? 'writable' : seen.includes(id) ? 'seen' : 'hidden'
}

interface Target {
  readonly id: number
  readonly slug: string
  /** As an entity tag of the present version. */
  readonly etag: string
}

interface Write {
  readonly request: (target: Target) => string
  readonly body?: (target: Target) => unknown
  readonly headers?: (target: Target) => Readonly<Record<string, string>>
  /** Status by standing, for requests with a token. */
  readonly status: Readonly<Record<Standing, number>>
}

const CHANGE = { title: 'changed' }
const CSV = () => ({ 'content-type': 'text/csv' })

/** Each way to write one note. A 401 without a token, since nothing may be written without one. */
const WRITES: Readonly<Record<string, Write>> = {
  'PUT /models/note/{record_id}': {
    request: ({ id }) => `PUT ${MODELS}/note/${id}`,
    body: () => ({ data: CHANGE }),
    status: { hidden: 400, seen: 403, writable: 200 },
  },
  'PATCH /models/note/{record_id}': {
    request: ({ id }) => `PATCH ${MODELS}/note/${id}`,
    body: () => ({ data: CHANGE }),
    status: { hidden: 400, seen: 403, writable: 200 },
  },
  'PUT /models/note/{record_id}, the present version': {
    request: ({ id }) => `PUT ${MODELS}/note/${id}`,
    body: () => ({ data: CHANGE }),
    headers: ({ etag }) => ({ 'if-match': etag }),
    status: { hidden: 400, seen: 403, writable: 200 },
  },
  'PUT /models/note/{record_id}, another version': {
    request: ({ id }) => `PUT ${MODELS}/note/${id}`,
    body: () => ({ data: CHANGE }),
    headers: () => ({ 'if-match': '"other"' }),
    status: { hidden: 400, seen: 412, writable: 412 },
  },
  'PUT /models/note/{record_id}, given away': {
    request: ({ id }) => `PUT ${MODELS}/note/${id}`,
    body: () => ({ data: { owner_id: 1 } }),
    status: { hidden: 400, seen: 403, writable: 403 },
  },
  'POST /models/note/{record_id}/restore': {
    request: ({ id }) => `POST ${MODELS}/note/${id}/restore`,
    status: { hidden: 404, seen: 409, writable: 409 },
  },
  'DELETE /models/note/{record_id}': {
    request: ({ id }) => `DELETE ${MODELS}/note/${id}`,
    status: { hidden: 404, seen: 403, writable: 200 },
  },
  'DELETE /models/note/{record_id}, another version': {
    request: ({ id }) => `DELETE ${MODELS}/note/${id}`,
    headers: () => ({ 'if-match': '"other"' }),
    status: { hidden: 404, seen: 412, writable: 412 },
  },
  'PUT /models/note/bulk': {
    request: () => `PUT ${MODELS}/note/bulk`,
    body: ({ id }) => ({ updates: [{ id, data: CHANGE }] }),
    status: { hidden: 400, seen: 403, writable: 200 },
  },
  'PATCH /models/note/bulk': {
    request: () => `PATCH ${MODELS}/note/bulk`,
    body: ({ id }) => ({ updates: [{ id, data: CHANGE }] }),
    status: { hidden: 400, seen: 403, writable: 200 },
  },
  'PUT /models/note/bulk, by filters': {
    request: () => `PUT ${MODELS}/note/bulk`,
    body: ({ slug }) => ({ filters: [`slug=${slug}`], expected_total: 1, data: CHANGE }),
    status: { hidden: 409, seen: 403, writable: 200 },
  },
  'PUT /models/note/bulk, by words': {
    request: () => `PUT ${MODELS}/note/bulk`,
    body: ({ slug }) => ({ filters: [`slug=${slug}`], search: 'harbour', expected_total: 1, data: CHANGE }),
    status: { hidden: 409, seen: 403, writable: 200 },
  },
  'DELETE /models/note/bulk': {
    request: () => `DELETE ${MODELS}/note/bulk`,
    body: ({ id }) => ({ ids: [id] }),
    status: { hidden: 400, seen: 403, writable: 200 },
  },
  'DELETE /models/note/bulk, by a group of filters': {
    request: () => `DELETE ${MODELS}/note/bulk`,
    body: ({ slug }) => ({ filters: [], any: [`slug=${slug}|slug=none`], expected_total: 1 }),
    status: { hidden: 409, seen: 403, writable: 200 },
  },
  'POST /batch, an update': {
    request: () => 'POST /api/v1/batch',
    body: ({ id }) => ({ operations: [{ method: 'update', model: 'note', id, data: CHANGE }] }),
    status: { hidden: 400, seen: 403, writable: 200 },
  },
  'POST /batch, an update of another version': {
    request: () => 'POST /api/v1/batch',
    body: ({ id }) => ({ operations: [{ method: 'update', model: 'note', id, data: CHANGE, if_match: '"other"' }] }),
    status: { hidden: 400, seen: 400, writable: 400 },
  },
  'POST /batch, a deletion after a creation': {
    request: () => 'POST /api/v1/batch',
    body: ({ id }) => ({
      operations: [
        { method: 'create', model: 'note', data: { title: 'new' } },
        { method: 'delete', model: 'note', id },
      ],
    }),
    status: { hidden: 400, seen: 403, writable: 200 },
  },
  'POST /models/note/{record_id}/actions/rename': {
    request: ({ id }) => `POST ${MODELS}/note/${id}/actions/rename`,
    status: { hidden: 404, seen: 403, writable: 200 },
  },
  'POST /models/note/{record_id}/actions/rename, another version': {
    request: ({ id }) => `POST ${MODELS}/note/${id}/actions/rename`,
    headers: () => ({ 'if-match': '"other"' }),
    status: { hidden: 404, seen: 412, writable: 412 },
  },
  'POST /models/note/actions/rename': {
    request: () => `POST ${MODELS}/note/actions/rename`,
    body: ({ id }) => ({ ids: [id] }),
    status: { hidden: 404, seen: 403, writable: 200 },
  },
  'POST /models/note/actions/rename, by filters': {
    request: () => `POST ${MODELS}/note/actions/rename`,
    body: ({ slug }) => ({ filters: [`slug=${slug}`], expected_total: 1 }),
    status: { hidden: 409, seen: 403, writable: 200 },
  },
  'POST /models/note/import, by slug': {
    request: () => `POST ${MODELS}/note/import?upsert_by=slug`,
    body: ({ slug }) => `slug,title\n${slug},changed\n`,
    headers: CSV,
    status: { hidden: 400, seen: 403, writable: 200 },
  },
  'POST /models/note/import, by id': {
    request: () => `POST ${MODELS}/note/import?upsert_by=id`,
    body: ({ id }) => `id,title\n${id},changed\n`,
    headers: CSV,
    status: { hidden: 400, seen: 403, writable: 200 },
  },
}

const recordOf = async (app: TestApp, { id }: Pick<Target, 'id'>): Promise<string> =>
  (await ask(app, 'super', `GET ${MODELS}/note/${id}`)).text

async function targetFor(app: TestApp, kind: NoteId): Promise<Target> {
  const { id, slug } = await copyOf(app, kind)
  return { id, slug, etag: String((await ask(app, 'super', `GET ${MODELS}/note/${id}`)).headers.etag) }
}

const sent = (app: TestApp, as: Actor, { request, body, headers }: Write, target: Target, more = ''): Promise<Reply> =>
  ask(app, as, request(target) + more, body?.(target), headers?.(target))

describe('each way to write changes what the actor may write, and tells nothing of hidden records', () => {
  for (const as of ACTORS) {
    notesTest(as ?? 'no token', async (app) => {
      for (const [name, write] of Object.entries(WRITES)) {
        for (const kind of NOTES) {
          const target = await targetFor(app, kind)
          const standing = standingOf(as, kind)
          const isGift = name.endsWith('given away') && (as === 'editor' || as === 'super')
          const expected = as === null ? 401 : isGift ? 200 : write.status[standing]
          const before = await recordOf(app, target)
          const place = `${name} on ${kind} as ${as}`
          const rehearsed = await sent(
            app,
            as,
            write,
            target,
            write.request(target).includes('?') ? '&dry_run=true' : '?dry_run=true',
          )
          assert.equal(rehearsed.status, expected, `${place}, dry run: ${rehearsed.text}`)
          assert.equal(await recordOf(app, target), before, `${place}: a dry run changes nothing`)
          const reply = await sent(app, as, write, target)
          assert.equal(reply.status, expected, `${place}: ${reply.text}`)
          assert.equal((await recordOf(app, target)) === before, expected !== 200, `${place}: changed`)
          if (standing !== 'hidden' || as === null) continue
          assert.doesNotMatch(reply.text, /harbour/)
          // A missing record gives the same response. The uniqueness of a value is told as it always was.
          if (name.endsWith('by slug')) assert.match(reply.text, /slug must be unique/)
          else {
            const absent = { ...target, id: 999_999, slug: 'absent' }
            const missing = await sent(app, as, write, absent)
            const text = missing.text.replaceAll('999999', String(target.id)).replaceAll('absent', target.slug)
            assert.deepEqual([missing.status, text], [reply.status, reply.text], place)
          }
        }
      }
    })
  }
})

describe('each way to create is judged by the new record', () => {
  for (const as of ACTORS) {
    notesTest(as ?? 'no token', async (app) => {
      const mayAdd = as === null ? 401 : 201
      assert.equal((await ask(app, as, `POST ${MODELS}/note`, { data: { title: 'a' } })).status, mayAdd)
      assert.equal((await ask(app, as, `POST ${MODELS}/note/bulk`, { records: [{ title: 'a' }] })).status, mayAdd)
      const rows = await ask(app, as, `POST ${MODELS}/note/import`, 'title\nb\n', CSV())
      assert.equal(rows.status, as === null ? 401 : 200)
      // The condition of remarks goes through the note: only its owner may add one.
      for (const id of NOTES) {
        const isOwn = as === 'super' || (as === 'owner' && id < 3) || (as === 'other' && id === 3)
        const refusal = as === null ? 401 : 403
        const remark = { text: 'x', note_id: id }
        const one = await ask(app, as, `POST ${MODELS}/remark`, { data: remark })
        assert.equal(one.status, isOwn ? 201 : refusal, `note ${id}`)
        const many = await ask(app, as, `POST ${MODELS}/remark/bulk`, { records: [{ ...remark, note_id: 2 }, remark] })
        const isAll = isOwn && (as === 'super' || as === 'owner')
        assert.equal(many.status, isAll ? 201 : refusal, `notes 2 and ${id}`)
        const file = await ask(app, as, `POST ${MODELS}/remark/import`, `text,note_id\nx,${id}\n`, CSV())
        assert.equal(file.status, isOwn ? 200 : refusal, `note ${id}, imported`)
        const batch = await ask(app, as, 'POST /api/v1/batch', {
          operations: [
            { method: 'create', model: 'note', data: { title: 'a' }, ref: 'note' },
            { method: 'create', model: 'remark', data: remark },
          ],
        })
        assert.equal(batch.status, isOwn ? 200 : refusal, `note ${id}, in a batch: ${batch.text}`)
      }
      for (const model of ['user', 'group', 'permission']) {
        const made = await ask(app, as, `POST ${MODELS}/${model}`, { data: {} })
        assert.equal(made.status, as === 'super' ? 400 : as === null ? 401 : 403, model)
      }
      for (const path of ['mock', 'recompute', 'reset', 'snapshots', 'webhooks']) {
        const reply = await ask(app, as === 'super' ? 'editor' : as, `POST /api/v1/${path}`, {})
        assert.equal(reply.status, as === null ? 401 : 403, path)
      }
    })
  }
})

/** Each operation on jobs, with its body and the status for a superuser. `{id}` is that of a job that waits. */
const JOB_OPERATIONS: Readonly<Record<string, { readonly body?: unknown; readonly status: number }>> = {
  'GET /api/v1/jobs': { status: 200 },
  'POST /api/v1/jobs/{id}/retry': { status: 202 },
  'POST /api/v1/jobs/{name}/run': { body: { input: { word: 'harbour' } }, status: 202 },
}

describe('each operation on jobs is that of superusers, and tells others nothing of jobs', () => {
  for (const as of ACTORS) {
    notesTest(as ?? 'no token', async (app) => {
      const job = { input: { word: 'harbour' }, run_at: '2099-01-01T00:00:00Z' }
      const { id } = (await ask(app, 'super', 'POST /api/v1/jobs/tidy/run', job)).json.data
      const stored = async () => (await ask(app, 'super', 'GET /api/v1/jobs')).text
      for (const [operation, { body, status }] of Object.entries(JOB_OPERATIONS)) {
        const before = await stored()
        const request = (job: number, name: string) => operation.replace('{id}', String(job)).replace('{name}', name)
        const reply = await ask(app, as, request(id, 'tidy'), body)
        assert.equal(reply.status, as === 'super' ? status : as === null ? 401 : 403, `${operation}: ${reply.text}`)
        if (as === 'super') continue
        assert.doesNotMatch(reply.text, /harbour|tidy/)
        assert.equal(await stored(), before, operation)
        // A job that does not exist gives the same response.
        const missing = await ask(app, as, request(999_999, 'none'), body)
        assert.deepEqual([missing.status, missing.text], [reply.status, reply.text], operation)
      }
      const { jobs } = (await ask(app, as ?? 'other', 'GET /admin/api/v1/site')).json
      assert.deepEqual(
        jobs?.map(({ name }: { name: string }) => name),
        as === 'super' ? ['tidy'] : undefined,
      )
    })
  }
})

notesTest('every operation of the API on jobs is in this table', async (app) => {
  const { paths } = documentOf(app.app.project)
  const operations = Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/v1/jobs'))
    .flatMap(([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`))
    .filter((operation) => /^(GET|POST|PUT|PATCH|DELETE) /.test(operation))
  assert.deepEqual(operations.sort(), Object.keys(JOB_OPERATIONS).sort())
})

notesTest('every operation of the API on a model of the project is in these tables', async (app) => {
  const reads = ['', '/search', '/aggregate', '/mock', '/test', '/export', '/{record_id}', '/{record_id}/history']
  const creates = ['', '/bulk', '/import', '/import/preview']
  const ofModel = Object.keys(WRITES).filter((name) => !name.startsWith('POST /batch'))
  const written = ofModel.map((name) => name.split(',')[0]?.replace('/models', `${MODELS}`) ?? '')
  const covered = new Set([
    ...reads.map((path) => `GET ${MODELS}/note${path}`),
    ...creates.map((path) => `POST ${MODELS}/note${path}`),
    ...written,
  ])
  const { paths } = documentOf(app.app.project)
  const operations = Object.entries(paths)
    .filter(([path]) => path.startsWith(`${MODELS}/note`))
    .flatMap(([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`))
    .filter((operation) => /^(GET|POST|PUT|PATCH|DELETE) /.test(operation))
  assert.deepEqual(operations.sort(), [...covered].sort())
})
