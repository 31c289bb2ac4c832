import { type Definition, flatSource } from '../config/source.ts'
import { defineModel } from '../model/define.ts'
import { fileIdOf, type StoredFile } from '../model/files.ts'
import type { StoredRecord } from '../store/store.ts'
import type { Json } from '../util/json.ts'

/** A place that has a file: a field of a record, or of a record to come. Its key is `FILE_TABLE`. */
const StoredFileRow = defineModel({
  name: 'StoredFile',
  fields: [
    // A part of the public id of the file, which is found by the id of the row.
    { name: 'token', type: 'string', required: true, index: false },
    { name: 'sha256', type: 'string', required: true },
    { name: 'size', type: 'integer', required: true, index: false },
    { name: 'name', type: 'string', required: true, index: false },
    { name: 'type', type: 'string', required: true, index: false },
    { name: 'width', type: 'integer', index: false },
    { name: 'height', type: 'integer', index: false },
    { name: 'model', type: 'string', required: true },
    { name: 'field', type: 'string', required: true, index: false },
    // Null while the upload is pending.
    { name: 'record_id', type: 'integer' },
    // Not a relation, so that a file survives the account.
    { name: 'user_id', type: 'integer' },
    // When the file was received.
    { name: 'at', type: 'datetime', required: true },
    // When the record gave the file up; null of a pending upload, and while the record has the file.
    { name: 'released_at', type: 'datetime' },
  ],
})

/** The internal model of the registry of files. */
export const FILE_MODELS: readonly Definition[] = [
  { value: StoredFileRow, source: flatSource(`built-in model ${StoredFileRow.name}`) },
]

/**
 * The value of a field for a row of the registry.
 *
 * @param given by a request, in the place of what is in the row
 */
export function fileValue(
  row: StoredRecord,
  { name, alt }: { readonly name?: string; readonly alt?: string | null } = {},
): StoredFile {
  return {
    id: fileIdOf(String(row.token), row.id),
    name: name ?? String(row.name),
    type: String(row.type),
    size: Number(row.size),
    sha256: String(row.sha256),
    width: numberOrNull(row.width),
    height: numberOrNull(row.height),
    alt: alt ?? null,
    uploaded_at: String(row.at),
  }
}

const numberOrNull = (value: Json | undefined): number | null => (value == null ? null : Number(value))
