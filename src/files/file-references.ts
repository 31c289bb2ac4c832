import type { FileField } from '../model/field.ts'
import { brokenCount, brokenFileLimit, maxSizeOf, type SizeSettings } from '../model/file-limits.ts'
import { FILE_TABLE, FileProblem, fileIdOf, filesIn, noSuchUpload, rowOfFileId, type StoredFile } from '../model/files.ts'
import type { Model } from '../model/model.ts'
import type { WriteHooks, WriteTarget } from '../records/hooks.ts'
import type { StoredRecord } from '../store/store.ts'
import { type Clock, HOUR_MS } from '../util/clock.ts'
import { cleanFileName } from '../util/file-name.ts'
import { isObject } from '../util/json.ts'
import { fileValue } from './file-models.ts'

/** Maximum length of an alternative text, in UTF-16 code units. */
const MAX_ALT = 1000

/** What the files of requests are judged by. */
export interface ReferenceParts {
  readonly settings: SizeSettings
  readonly clock: Clock
}

/** A file as a request names it. */
interface FileReference {
  readonly id: string
  readonly name?: string
  readonly alt?: string | null
}

/** What a request names in a field, in order. */
interface NamedFiles {
  readonly field: FileField
  readonly items: readonly (FileReference | FileProblem)[]
}

/** Rows of the registry by their ids. */
type Rows = ReadonlyMap<number, StoredRecord>

/**
 * Replaces the ids of files in requests by the files that they name, or by the reason why there is none. An id is that of a pending upload of the
 * user for the field, or of a file that is in this field of the record, or was and is still kept. All registry rows of a request are read at once.
 */
export const fileReferences = (parts: ReferenceParts): WriteHooks => ({
  async resolve({ actor, model }, targets, records) {
    const named = targets.map(({ data = {} }) =>
      model.fileFields.flatMap((field): NamedFiles[] => {
        const value = data[field.name] ?? null
        return value === null ? [] : [{ field, items: itemsOf(field, value) }]
      }),
    )
    const wanted = new Set<number>()
    for (const [index, fields] of named.entries()) {
      for (const { field, items } of fields) for (const row of rowsToRead(field, items, targets[index])) wanted.add(row)
    }
    const ids = [...wanted]
    const found = ids.length === 0 ? [] : await records.get(FILE_TABLE, ids)
    const rows = new Map(found.flatMap((row) => (row === undefined ? [] : [[row.id, row] as const])))
    return targets.map((target, index) => {
      const fields = named[index] ?? []
      const values = fields.map(({ field, items }) => {
        const place = { model, field, record: target.existing, userId: actor.userId ?? null }
        return [field.name, filesOf(items, place, rows, parts)]
      })
      return values.length === 0 ? (target.data ?? {}) : { ...target.data, ...Object.fromEntries(values) }
    })
  },
})

/** The files that a value of a request names. A value of another shape is a problem. */
function itemsOf({ type, file }: FileField, value: unknown): NamedFiles['items'] {
  if (!type.list) return [referenceOf(value)]
  if (!Array.isArray(value)) return [new FileProblem('must be an array of ids of uploads')]
  const broken = brokenCount(file, value.length)
  return broken === undefined ? value.map(referenceOf) : [new FileProblem(broken)]
}

function referenceOf(value: unknown): FileReference | FileProblem {
  if (value instanceof FileProblem) return value
  if (typeof value === 'string') return { id: value }
  if (!isObject(value) || typeof value.id !== 'string') return new FileProblem('must be the id of an upload')
  const { id, name, alt } = value
  if (name !== undefined && typeof name !== 'string') return new FileProblem('must have a text as the name of a file')
  if (alt !== undefined && alt !== null && typeof alt !== 'string') return new FileProblem('must have a text as alternative text')
  if (typeof alt === 'string' && alt.length > MAX_ALT)
    return new FileProblem(`must have an alternative text of at most ${MAX_ALT} characters`)
  return {
    id,
    ...(name === undefined ? {} : { name: cleanFileName(name) }),
    ...(alt === undefined ? {} : { alt: alt === null ? null : plainText(alt) }),
  }
}

/** Without control characters; null if nothing is left. */
function plainText(text: string): string | null {
  const plain = text.replaceAll(/\p{Cc}+/gu, ' ').trim()
  return plain === '' ? null : plain
}

/** The rows of the files that the record does not have. */
function rowsToRead({ name }: FileField, items: NamedFiles['items'], target: WriteTarget | undefined): readonly number[] {
  const own = new Set(filesIn(target?.existing?.[name]).map(({ id }) => id))
  return items.flatMap((item) => (item instanceof FileProblem || own.has(item.id) ? [] : (rowOfFileId(item.id)?.row ?? [])))
}

/** Where files are to be, and who says so. */
interface Place {
  readonly model: Model
  readonly field: FileField
  readonly record: StoredRecord | undefined
  /** Null for the server and the command line. */
  readonly userId: number | null
}

/** The value of a field, or its first problem. */
function filesOf(
  items: NamedFiles['items'],
  place: Place,
  rows: Rows,
  parts: ReferenceParts,
): StoredFile | readonly StoredFile[] | FileProblem {
  const own = new Map(filesIn(place.record?.[place.field.name]).map((file) => [file.id, file]))
  const files = new Map<string, StoredFile>()
  for (const item of items) {
    const file = item instanceof FileProblem ? item : fileOf(item, place, own, rows, parts)
    if (file instanceof FileProblem) return file
    if (files.has(file.id)) return new FileProblem('must not have the same file twice')
    files.set(file.id, file)
  }
  const [first] = files.values()
  return place.field.type.list || first === undefined ? [...files.values()] : first
}

function fileOf(
  { id, name, alt }: FileReference,
  place: Place,
  own: ReadonlyMap<string, StoredFile>,
  rows: Rows,
  { settings, clock }: ReferenceParts,
): StoredFile | FileProblem {
  const { pending_hours: hours } = settings.files
  const kept = own.get(id)
  if (kept !== undefined) return { ...kept, ...(name === undefined ? {} : { name }), ...(alt === undefined ? {} : { alt }) }
  const row = rows.get(rowOfFileId(id)?.row ?? 0)
  if (row === undefined || fileIdOf(String(row.token), row.id) !== id || !isAvailable(row, place, clock() - hours * HOUR_MS))
    return new FileProblem(noSuchUpload(id, hours))
  const file = fileValue(row, { ...(name === undefined ? {} : { name }), ...(alt === undefined ? {} : { alt }) })
  const problem = brokenFileLimit(place.field.file, file, maxSizeOf(place.field.file, settings))
  return problem === undefined ? file : new FileProblem(problem)
}

/**
 * True if a row is a pending upload of the user for the field, or was in this field of the record.
 *
 * @param expired uploads of this time and before have expired
 */
function isAvailable(row: StoredRecord, { model, field, record, userId }: Place, expired: number): boolean {
  if (row.model !== model.key || row.field !== field.name) return false
  if ((row.record_id ?? null) !== null) return row.record_id === record?.id
  const isPending = (row.released_at ?? null) === null && Date.parse(String(row.at)) > expired
  return isPending && (row.user_id ?? null) === userId
}
