import { randomBytes } from 'node:crypto'
import { lstat, mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError } from '../errors.ts'
import { filesIn, type StoredFile } from '../model/files.ts'
import { DiskNames } from '../transfer/file-names.ts'
import type { ImportedFile } from '../transfer/file-values.ts'
import { callSucceeds } from '../util/files.ts'
import { writeBytesTo } from './file-bytes.ts'

/** The folder of the files of an export, beside its records. */
const FILES = 'files'

/** Opens the bytes of a file of a record. */
export type OpenStored = (field: string, record: number, file: StoredFile) => Promise<AsyncIterable<Uint8Array>>

interface ExportedFilesOptions {
  /** The folder of the file with the records. */
  readonly folder: string
  readonly model: string
  /** Replaces files of an earlier export. */
  readonly force: boolean
  readonly open: OpenStored
  readonly signal: AbortSignal
}

/**
 * Writes the files of exported records to `files/<model>/<field>/<record id>/<name>`. They stand in a folder with another name until all are
 * written, so that an export that fails leaves nothing that looks whole.
 */
export class ExportedFiles {
  readonly #options: ExportedFilesOptions
  readonly #final: string
  readonly #draft: string
  #replaced: string | undefined
  #isNamed = false
  /** Number of files written. */
  count = 0

  private constructor(options: ExportedFilesOptions) {
    const { folder, model } = options
    this.#options = options
    this.#final = join(folder, FILES, model)
    this.#draft = join(folder, FILES, `.${model}.${randomBytes(6).toString('hex')}.tmp`)
  }

  /** @throws {AppError} TASK_FAILED if there are files of an earlier export and `force` is false */
  static async begin(options: ExportedFilesOptions): Promise<ExportedFiles> {
    const files = new ExportedFiles(options)
    await refuseFiles(options)
    return files
  }

  /**
   * Writes the files of a value, in order, durable.
   *
   * @returns `{path, name, alt?}` for each, as imports and seeds read them; undefined for a value that has no files
   * @throws {AppError} TASK_FAILED if bytes are missing or damaged, or a file cannot be written
   */
  async write({ field, value, id }: ImportedFile): Promise<unknown> {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value]
    const files = filesIn(items as Parameters<typeof filesIn>[0])
    if (files.length === 0 || files.length < items.length) return undefined
    const record = Number(id)
    if (!Number.isSafeInteger(record) || record < 1)
      throw new AppError('TASK_FAILED', `The server has a record with the id '${id}'`)
    const names = new DiskNames()
    const written: unknown[] = []
    for (const file of files) written.push(await this.#write(field, record, file, names.next(file.name)))
    return Array.isArray(value) ? written : written[0]
  }

  async #write(field: string, record: number, file: StoredFile, name: string): Promise<unknown> {
    const { model, open, signal } = this.#options
    const path = join(this.#draft, field, String(record), name)
    await mkdir(dirname(path), { recursive: true }).catch((error: Error) => {
      throw new AppError('TASK_FAILED', `The folder of the files cannot be created: ${error.message}`)
    })
    await writeBytesTo(path, await open(field, record, file), { file, shown: `${model} ${record}, ${field}`, signal })
    this.count++
    const { name: kept, alt } = file
    return { path: [FILES, model, field, record, name].join('/'), name: kept, ...(alt === null ? {} : { alt }) }
  }

  /** Gives the folder its name, after the last file and before the records get theirs. */
  async finish(): Promise<void> {
    if (await callSucceeds(lstat(this.#final))) {
      this.#replaced = `${this.#draft}.old`
      await mkdir(dirname(this.#final), { recursive: true })
      await rename(this.#final, this.#replaced)
    }
    if (this.count === 0) return
    await rename(this.#draft, this.#final)
    this.#isNamed = true
  }

  /** Removes what the export has replaced, or, if it failed, what it has written. */
  async close({ failed }: { readonly failed: boolean }): Promise<void> {
    await rm(this.#draft, { recursive: true, force: true })
    if (failed && this.#isNamed) await rm(this.#final, { recursive: true, force: true })
    if (this.#replaced === undefined) return
    if (failed) await rename(this.#replaced, this.#final)
    else await rm(this.#replaced, { recursive: true, force: true })
  }
}

/** @throws {AppError} TASK_FAILED if the folder has files of an earlier export that may not be replaced */
export async function refuseFiles({
  folder,
  model,
  force,
}: Pick<ExportedFilesOptions, 'folder' | 'model' | 'force'>): Promise<void> {
  if (force || !(await callSucceeds(lstat(join(folder, FILES, model))))) return
  throw new AppError('TASK_FAILED', `${join(FILES, model)} already exists beside the file of the records; --force replaces it`)
}
