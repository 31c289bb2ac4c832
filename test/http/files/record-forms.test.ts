import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { FILE_TABLE } from '../../../src/model/files.ts'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { assertContract } from '../../helpers/api/contract.ts'

const FILES = {
  'models/article.yaml': `
name: Article
access: { view: public, add: public }
fields:
  - { name: title, type: string, required: true }
  - { name: manual, type: file, max_size: 1 KiB }
  - { name: scans, type: file, multiple: true, max_files: 3 }
`,
  'models/note.yaml': 'name: Note\nfields:\n  - { name: title, type: string }\n',
  'seed/article.yaml': '- { id: 1, title: First }\n',
  'seed/user.yaml': '- { username: admin, email: admin@example.org, password: a-long-password, is_superuser: true }\n',
}

type Part = readonly [disposition: string, content: string]

const data = (value: unknown): Part => ['name="data"', JSON.stringify(value)]
const file = (field: string, name: string, content = name): Part => [`name="${field}"; filename="${name}"`, content]

async function send(
  app: TestApp,
  request: string,
  parts: readonly Part[],
  { as = 'admin' as string | null, end = '--cut--\r\n' } = {},
) {
  const [method = '', url = ''] = request.split(' ')
  const token = as === null ? {} : { authorization: `Bearer ${await app.tokenOf(as)}` }
  const form = parts.map(
    ([disposition, content]) => `--cut\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`,
  )
  const reply = await app.server.inject({
    ...{ method, url: `/api/v1/models/${url}`, payload: form.join('') + end },
    headers: { 'content-type': 'multipart/form-data; boundary=cut', ...token },
  })
  const { statusCode: status, payload: text } = reply
  assertContract(app, { method, url: `/api/v1/models/${url}`, status, headers: reply.headers, text })
  return { status, json: JSON.parse(text) }
}

/** Numbers of received files, and of rows of the registry that are pending. */
async function pending({ app }: TestApp) {
  const received = await readdir(app.blobs.incoming).catch(() => [])
  const filters = [{ field: 'record_id', operator: 'isnull', value: true } as const]
  const { total } = await app.store.find(FILE_TABLE, { filters, sort: [], offset: 0, limit: 0 })
  return received.length + (total ?? 0)
}

describe('a form of a record and its files', () => {
  test('creates a record with them, and changes one', async () => {
    await using app = await openTestApp({ files: FILES })
    const parts = [data({ data: { title: 'A' } }), file('manual', '../m.txt'), file('scans', '1.txt'), file('scans', '2.txt')]
    const { status, json } = await send(app, 'POST article', parts)
    assert.equal(status, 201, JSON.stringify(json))
    const { id, manual, scans } = json.data
    assert.equal(manual.name, 'm.txt')
    assert.deepEqual(
      scans.map(({ name }: { name: string }) => name),
      ['1.txt', '2.txt'],
    )
    const kept = [data({ data: { scans: [scans[1].id] } }), file('scans', '3.txt')]
    const changed = await send(app, `PUT article/${id}`, kept)
    assert.equal(changed.status, 200, JSON.stringify(changed.json))
    assert.deepEqual(
      changed.json.data.scans.map(({ name }: { name: string }) => name),
      ['2.txt', '3.txt'],
    )
    assert.equal(await pending(app), 0)
  })

  for (const [name, request, parts, status, says, options] of [
    ['whose record is refused', 'POST article', [data({ data: {} }), file('manual', 'a')], 400, /title/],
    ['of a dry run', 'POST article?dry_run=true', [data({ data: { title: 'A' } }), file('manual', 'a')], 200, /"a"/],
    [
      'with a file too large',
      'POST article',
      [data({ data: { title: 'A' } }), file('manual', 'a', 'x'.repeat(1025))],
      413,
      /larger than 1 KiB/,
    ],
    [
      'with two files for one',
      'POST article',
      [data({ data: { title: 'A' } }), file('manual', 'a'), file('manual', 'b')],
      400,
      /manual/,
    ],
    [
      'with a file for a value',
      'POST article',
      [data({ data: { title: 'A', manual: 'x' } }), file('manual', 'a')],
      400,
      /give one of them/,
    ],
    [
      'with a file for no file field',
      'POST article',
      [data({ data: { title: 'A' } }), file('title', 'a')],
      400,
      /takes no files/,
    ],
    ['with a file for no field', 'POST article', [data({ data: { title: 'A' } }), file('manuel', 'a')], 400, /manuel/],
    ['without a first part', 'POST article', [file('manual', 'a'), data({ data: { title: 'A' } })], 400, /first part 'data'/],
    ['with a part that is no file', 'POST article', [data({ data: {} }), ['name="manual"', 'x']], 400, /first part 'data'/],
    ['whose first part is no JSON', 'POST article', [['name="data"', '{'], file('manual', 'a')], 400, /JSON/],
    [
      'of 22 parts',
      'POST article',
      [data({ data: {} }), ...Array.from({ length: 21 }, () => file('scans', 'a'))],
      400,
      /more than 21/,
    ],
    [
      'without its end',
      'POST article',
      [data({ data: { title: 'A' } }), file('manual', 'a')],
      400,
      /is not multipart/,
      { end: '' },
    ],
    ['for a model without files', 'POST note', [data({ data: { title: 'A' } })], 415, /no file fields/],
    ['without a token', 'POST article', [data({ data: { title: 'A' } }), file('manual', 'a')], 401, /token/, { as: null }],
    ['for no record', 'PUT article/9', [data({ data: {} }), file('manual', 'a')], 400, /9/],
  ] as const satisfies readonly (readonly [string, string, readonly Part[], number, RegExp, object?])[]) {
    test(`leaves nothing: one ${name}`, async () => {
      await using app = await openTestApp({ files: FILES })
      const reply = await send(app, request, parts, options)
      assert.equal(reply.status, status, JSON.stringify(reply.json))
      assert.match(JSON.stringify(reply.json), says)
      assert.equal(await pending(app), 0)
      assert.deepEqual(app.reported, [])
    })
  }

  test('counts once, as an upload', async () => {
    await using app = await openTestApp({ files: FILES, settings: { rate_limits: { default: 1, auth: 0, upload: 2 } } })
    const parts = [data({ data: { title: 'A' } }), file('scans', '1'), file('scans', '2'), file('scans', '3')]
    assert.deepEqual(
      [
        await send(app, 'POST article', parts),
        await send(app, 'POST article', parts),
        await send(app, 'POST article', parts),
      ].map(({ status }) => status),
      [201, 201, 429],
    )
  })
})
