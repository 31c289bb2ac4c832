import { isObject, type Json, type JsonObject } from '../util/json.ts'

/** How a thumbnail is made: it covers the given sides, or fits inside them. It is never larger than its image. */
export interface ThumbnailRecipe {
  /** In pixels; at least one of the two. */
  readonly width?: number
  readonly height?: number
  readonly fit: 'cover' | 'inside'
  readonly format: 'webp' | 'jpeg' | 'png'
  /** From 1 to 100; the default of the format when absent. */
  readonly quality?: number
}

/** What a file field accepts. */
export interface FileRules {
  /** True for fields of the type `image`. */
  readonly isImage: boolean
  /** Maximum number of files; 1 for a field without `multiple`. */
  readonly maxFiles: number
  /** Maximum size of a file in bytes; undefined for the setting `max_upload_bytes`. */
  readonly maxSize: number | undefined
  /** Media types such as `application/pdf`, or `image/*`; undefined for all types. */
  readonly accept: readonly string[] | undefined
  /** Recipes by name, with `preview`. Empty for fields that are not images. */
  readonly thumbnails: ReadonlyMap<string, ThumbnailRecipe>
  readonly minWidth: number | undefined
  readonly minHeight: number | undefined
  /** Maximum number of pixels of all frames together. */
  readonly maxPixels: number
  /** True if EXIF, XMP and IPTC stay in the file. */
  readonly keepsMetadata: boolean
}

/** Media types of the field type `image`. */
export const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif'] as const

/** Name of the thumbnail that every image has: 256 pixels, inside. */
export const PREVIEW = 'preview'

/** A file as a record stores it. */
export interface StoredFile extends JsonObject {
  readonly id: string
  readonly name: string
  /** Media type, detected from the bytes. */
  readonly type: string
  /** In bytes. */
  readonly size: number
  /** Hexadecimal. */
  readonly sha256: string
  /** In pixels, as displayed; null for a file that is no image. */
  readonly width: number | null
  readonly height: number | null
  /** Alternative text. */
  readonly alt: string | null
  /** ISO 8601, in UTC. */
  readonly uploaded_at: string
}

/** Key of the registry: the table with one row for each place that has a file. */
export const FILE_TABLE = 'storedfile'

/** True for a value that has the members of a stored file, and no others. */
export function isStoredFile(value: unknown): value is StoredFile {
  if (!isObject(value) || Object.keys(value).length !== MEMBERS.length) return false
  return MEMBERS.every(([name, type, orNull]) => typeof value[name] === type || (orNull === true && value[name] === null))
}

const MEMBERS: readonly (readonly [name: string, type: 'string' | 'number', orNull?: true])[] = [
  ['id', 'string'],
  ['name', 'string'],
  ['type', 'string'],
  ['size', 'number'],
  ['sha256', 'string'],
  ['width', 'number', true],
  ['height', 'number', true],
  ['alt', 'string', true],
  ['uploaded_at', 'string'],
]

/** Why the files that a request means are refused, in the place of a value. */
export class FileProblem {
  /** Follows the field's name. */
  readonly problem: string

  constructor(problem: string) {
    this.problem = problem
  }
}

/** Maximum number of characters of an id in a message. */
const MAX_SHOWN = 60

/** The problem of an id that names no file which the record may have. It begins with a colon, so it follows the field's name without a space. */
export function noSuchUpload(id: string, hours: number): string {
  const shown = id.length > MAX_SHOWN ? `${id.slice(0, MAX_SHOWN)}…` : id
  return `: there is no upload '${shown}'; uploads are kept for ${hours} ${hours === 1 ? 'hour' : 'hours'}`
}

/** The public id of a file: the token of its row in the registry, and the id of the row in base 36. */
export const fileIdOf = (token: string, row: number): string => `${token}-${row.toString(36)}`

/** The row of the registry that an id names, with the token that the row must have; undefined for a text that is no id. */
export function rowOfFileId(id: string): { readonly row: number; readonly token: string } | undefined {
  const [, token, digits] = /^([A-Za-z0-9_-]{10,40})-([0-9a-z]{1,11})$/.exec(id) ?? []
  const row = Number.parseInt(digits ?? '', 36)
  if (token === undefined || !Number.isSafeInteger(row) || row < 1) return undefined
  return { row, token }
}

/** The name of a file and the place that has it, for people: `'a.pdf' (photo 1, papers)`. @param record null while the upload is pending */
export const describePlace = ({
  name,
  model,
  record,
  field,
}: {
  readonly name: string
  readonly model: string
  readonly record: number | null
  readonly field: string
}): string => `'${name}' (${record === null ? `upload for ${model}` : `${model} ${record}`}, ${field})`

/** The rows of the registry that the files of a record name. */
export const rowsOfFiles = (fields: readonly { readonly name: string }[], record: JsonObject): readonly number[] =>
  fields.flatMap(({ name }) => filesIn(record[name]).flatMap(({ id }) => rowOfFileId(id)?.row ?? []))

/** The stored files of a value, in order. */
export function filesIn(value: Json | undefined): readonly StoredFile[] {
  const items = Array.isArray(value) ? value : [value ?? null]
  return items.filter(isStoredFile)
}
