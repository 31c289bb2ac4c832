import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { App } from '../../../../src/app.ts'
import { FILE_TABLE, filesIn, rowOfFileId, type StoredFile } from '../../../../src/model/files.ts'
import type { StoredRecord } from '../../../../src/store/store.ts'
import { ADMIN_SEED } from '../../../helpers/api/app.ts'
import { compiledScript } from '../../../helpers/compile.ts'
import { bytesOf, sha256Of } from '../../../helpers/store/blob-contract.ts'
import { Child } from '../../../store/embedded/child.ts'
import { sweepOf } from './sweeps.ts'

/** A project of papers with files, in a process that removes what no paper has without pause. */
export const PAPERS = {
  'admin.config.yaml': 'rate_limits: { default: 0, auth: 0, upload: 0, download: 0 }\n',
  'models/paper.yaml': 'name: Paper\nfields:\n  - { name: files, type: file, multiple: true }\n',
  ...ADMIN_SEED,
}

/** Bytes of some sizes, with their hashes. */
export const contentsOf = (sizes: readonly number[]): readonly { readonly bytes: Buffer; readonly sha256: string }[] =>
  sizes.map(bytesOf).map((bytes) => ({ bytes, sha256: sha256Of(bytes) }))

export type Content = ReturnType<typeof contentsOf>[number]

/** A server of papers in a process of its own. */
export interface PaperServer {
  readonly child: Child
  readonly address: string
  readonly token: string
}

let script: Promise<string> | undefined

/** Starts a server of papers. @param env settings that name a database, if any */
export async function startPapers(folder: string, env: Readonly<Record<string, string>>): Promise<PaperServer> {
  script ??= compiledScript(join(import.meta.dirname, 'sweeping-child.ts'))
  const child = new Child(await script, folder, JSON.stringify(env))
  return { child, address: await child.line(), token: await child.line() }
}

/** An answer of a server that was not killed before its end. */
export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a parse boundary; each test knows what it asked for
  readonly data: any
  readonly text: string
}

/** The server was killed before it answered. */
export class NoAnswer extends Error {}

/** Sends a request to the API. @throws {NoAnswer} */
export async function ask({ address, token }: PaperServer, request: string, body?: object): Promise<Answer> {
  const [method = '', path = ''] = request.split(' ')
  const isForm = body instanceof FormData
  const headers = {
    authorization: `Bearer ${token}`,
    ...(isForm || body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const content = isForm ? body : JSON.stringify(body)
  const sent = fetch(`${address}/api/v1/${path}`, { method, headers, ...(body && { body: content }) } as RequestInit)
  const [status, text] = await sent
    .then(async (reply) => [reply.status, await reply.text()] as const)
    .catch((cause: unknown) => {
      throw new NoAnswer('The server did not answer', { cause })
    })
  return { status, data: JSON.parse(text).data, text }
}

/** A form with contents in parts of a name, behind a record if there is one. */
export function formOf(contents: readonly Content[], part: string, record?: object): FormData {
  const form = new FormData()
  if (record !== undefined) form.append('data', JSON.stringify(record))
  for (const [index, { bytes }] of contents.entries()) form.append(part, new Blob([new Uint8Array(bytes)]), `${index}.bin`)
  return form
}

/** Uploads contents for papers, and returns the ids. */
export async function upload(server: PaperServer, contents: readonly Content[]): Promise<readonly string[]> {
  const { status, data, text } = await ask(server, 'POST files/paper/files', formOf(contents, 'file'))
  assert.equal(status, 201, text)
  return data.map(({ id }: { id: string }) => id)
}

async function allOf({ store }: App, table: string): Promise<readonly StoredRecord[]> {
  const found: StoredRecord[] = []
  for await (const records of store.stream(table, { filters: [], sort: [{ field: 'id', order: 'asc' }] })) found.push(...records)
  return found
}

/** The files of all papers, by the ids of these. */
export async function papersOf(app: App): Promise<ReadonlyMap<number, readonly StoredFile[]>> {
  return new Map((await allOf(app, 'paper')).map(({ id, files }) => [id, filesIn(files)]))
}

/** Asserts that every paper has its files: rows of the registry that say so, and bytes; and that no kept bytes have another hash. */
export async function assertWhole(app: App): Promise<void> {
  const rows = new Map((await allOf(app, FILE_TABLE)).map((row) => [row.id, row]))
  const kept = new Map<string, number>()
  for await (const { sha256, size } of app.blobs.list()) {
    const stream = await app.blobs.open(sha256)
    assert.equal(stream && sha256Of(await buffer(stream)), sha256, 'bytes of another hash')
    kept.set(sha256, size)
  }
  for (const [paper, files] of await papersOf(app)) {
    for (const { id, sha256, size } of files) {
      const row = rows.get(rowOfFileId(id)?.row ?? 0)
      assert.deepEqual(
        [row?.sha256, row?.model, row?.field, row?.record_id, row?.released_at ?? null, kept.get(sha256)],
        [sha256, 'paper', 'files', paper, null, size],
        `file ${id} of paper ${paper}: its row, and the size of its bytes`,
      )
    }
  }
}

/** Asserts that a sweep leaves what papers have, and nothing else. */
export async function assertSwept(app: App): Promise<void> {
  const sweep = sweepOf(app, 0)
  await sweep.removeRows()
  await sweep.removeBytes(0)
  await app.blobs.clean(0)
  const files = [...(await papersOf(app)).values()].flat()
  const kept: string[] = []
  for await (const { sha256 } of app.blobs.list()) kept.push(sha256)
  assert.deepEqual(kept, [...new Set(files.map(({ sha256 }) => sha256))].sort(), 'kept bytes, and those of papers')
  const ids = (await allOf(app, FILE_TABLE)).map(({ id }) => id)
  const named = files.map(({ id }) => rowOfFileId(id)?.row ?? 0)
  assert.deepEqual(
    ids,
    named.sort((a, b) => a - b),
    'rows of the registry, and those of papers',
  )
  const { incoming } = app.blobs
  assert.deepEqual(existsSync(incoming) ? readdirSync(incoming) : [], [])
}
