import { FILE_TABLE, fileIdOf } from '../model/files.ts'
import type { Registry } from '../model/registry.ts'
import type { Store, StoredRecord } from '../store/store.ts'

/** A row of the registry, as people see it. */
export interface ListedFile {
  readonly id: string
  readonly name: string
  readonly type: string
  /** In bytes. */
  readonly size: number
  readonly sha256: string
  readonly model: string
  /** Null while the upload is pending. */
  readonly record: number | null
  readonly field: string
  /** `pending`: no record has the file yet; `released`: its record has given it up, and it is still kept. */
  readonly state: 'pending' | 'attached' | 'released'
}

/** The rows of the registry by id, in batches. @param model the key of a model, for its files only */
export async function* listFiles(
  { registry, store }: { readonly registry: Registry; readonly store: Pick<Store, 'stream'> },
  model?: string,
): AsyncGenerator<readonly ListedFile[]> {
  if (registry.withFiles.length === 0) return
  const filters = model === undefined ? [] : [{ field: 'model', operator: 'eq' as const, value: model }]
  for await (const rows of store.stream(FILE_TABLE, { filters, sort: [{ field: 'id', order: 'asc' }] }))
    yield rows.map(listedFile)
}

/** A row of the registry as people see it. */
export function listedFile(row: StoredRecord): ListedFile {
  return {
    id: fileIdOf(String(row.token), row.id),
    name: String(row.name),
    type: String(row.type),
    size: Number(row.size),
    sha256: String(row.sha256),
    model: String(row.model),
    record: row.record_id == null ? null : Number(row.record_id),
    field: String(row.field),
    state: row.record_id == null ? 'pending' : row.released_at == null ? 'attached' : 'released',
  }
}
