import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { AppError, type FieldMessages } from '../errors.ts'
import { DELIMITERS, type DelimiterName, type Format } from '../query/formats.ts'
import { readTextCell } from '../transfer/cells.ts'
import { delimiterOf } from '../transfer/csv-records.ts'
import { PathProblem } from '../transfer/file-paths.ts'
import { type UploadFile, withUploadedFiles } from '../transfer/file-uploads.ts'
import { type ImportedFile, rewriteFileValues } from '../transfer/file-values.ts'
import { decodeUtf8, type FileContent } from '../transfer/row-reader.ts'
import { isObject } from '../util/json.ts'
import { type ApiClient, appErrorOf } from './api-client.ts'
import type { Io } from './io.ts'
import { describedFileFields, discardUpload, uploadLocalFile } from './stored-files.ts'

/** Whom the files are uploaded to, and for what. */
interface UploadTarget {
  readonly api: ApiClient
  readonly io: Io
  readonly model: string
  readonly signal: AbortSignal
  /** False for a dry run, whose uploads are removed. */
  readonly isKept: boolean
}

/** An import file whose file fields may have paths. */
interface PathSource {
  readonly format: Format
  readonly delimiter: DelimiterName | undefined
  /** The folder of the file; undefined for standard input. */
  readonly folder: string | undefined
  readonly open: () => FileContent
  /** The map of the import, which may give file fields other columns. */
  readonly map: unknown
}

/** Maximum number of faults after which no more files are uploaded. */
const MAX_FAULTS = 100

/**
 * Uploads the files that an import file names, and runs the import with a copy of the file that has ids in place of paths. Uploads that no
 * record has taken are removed.
 *
 * @param work imports the file
 * @throws {AppError} VALIDATION_FAILED with messages by `<row>.<field>`
 */
export async function withUploadedPaths<T>(
  target: UploadTarget,
  source: PathSource,
  work: (open: () => FileContent) => Promise<T>,
): Promise<T> {
  const fields = await describedFileFields(target.api, target.model)
  if (fields.size === 0) return work(source.open)
  const names = new Map([...fields].flatMap(([name, { label }]) => [[name, name] as const, [label, name] as const]))
  const columns = isObject(source.map) && isObject(source.map.columns) ? source.map.columns : {}
  for (const [header, field] of Object.entries(columns)) {
    if (typeof field === 'string' && fields.has(field)) names.set(header.trim(), field)
    else names.delete(header.trim())
  }
  const uploads = new PathUploads(target, source.folder)
  const folder = await mkdtemp(join(tmpdir(), 'admin-import-'))
  let isDone = false
  try {
    const copy = join(folder, 'rows')
    const { format, delimiter, open } = source
    const rewritten = rewriteFileValues(decodeUtf8(open()), {
      format,
      delimiterOf: (header) => (delimiter === undefined ? delimiterOf(header, (name) => names.has(name)) : DELIMITERS[delimiter]),
      fieldOf: (name) => names.get(name.trim()),
      replace: ({ value, ...file }) =>
        uploads.replace(
          { ...file, value: source.map === undefined ? value : jsonOf(value) },
          fields.get(file.field)?.multiple === true && format === 'csv',
        ),
    })
    await pipeline(rewritten, createWriteStream(copy, { mode: 0o600 }))
    uploads.throwIfRefused()
    const result = await work(uploads.ids.length === 0 ? open : () => createReadStream(copy))
    isDone = true
    return result
  } finally {
    await rm(folder, { recursive: true, force: true })
    if (!isDone || !target.isKept) await uploads.discard()
  }
}

/** The JSON in a text, such as a cell of a workbook; other values as they are. */
function jsonOf(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** The uploads of an import. */
class PathUploads {
  readonly #target: UploadTarget
  readonly #folder: string | undefined
  readonly #faults: Record<string, string[]> = {}
  /** The ids of the uploads. */
  readonly ids: string[] = []

  constructor(target: UploadTarget, folder: string | undefined) {
    this.#target = target
    this.#folder = folder
  }

  /** Uploads the files of a value. @returns the value with ids; undefined if it is refused, or has no path */
  async replace({ index, field, value }: ImportedFile, isList: boolean): Promise<unknown> {
    this.#target.signal.throwIfAborted()
    if (Object.keys(this.#faults).length >= MAX_FAULTS) return undefined
    const given = typeof value === 'string' ? readTextCell(value, isList) : value
    try {
      return await withUploadedFiles(this.#folder, field, given, this.#upload)
    } catch (error) {
      const key = `${index + 1}.${field}`
      const found = appErrorOf(error)
      if (error instanceof PathProblem) this.#faults[key] = [`${field} ${error.message}`]
      else if (isRefusal(found)) this.#faults[key] = Object.values(found.details).flat()
      else throw error
      return undefined
    }
  }

  readonly #upload: UploadFile = async (field, { handle, path }, { name }) => {
    const { api, io, model, signal } = this.#target
    const open = () => handle.createReadStream({ autoClose: false, start: 0 })
    const id = await uploadLocalFile(api, io, { model, field }, { path, name, open }, signal)
    this.ids.push(id)
    return id
  }

  /** @throws {AppError} VALIDATION_FAILED */
  throwIfRefused(): void {
    if (Object.keys(this.#faults).length > 0) throw new AppError('VALIDATION_FAILED', this.#faults)
  }

  /** Removes the uploads. They would expire, so that a failure is no error. */
  async discard(): Promise<void> {
    for (const id of this.ids) await discardUpload(this.#target.api, id).catch(() => {})
  }
}

/** True for an error of the API about the file. */
const isRefusal = (error: unknown): error is AppError & { readonly details: FieldMessages } =>
  error instanceof AppError && typeof error.details !== 'string'
