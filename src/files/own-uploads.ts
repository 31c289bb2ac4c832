import { type Actor, SYSTEM } from '../auth/permissions.ts'
import type { FileField } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import { cleanFileName } from '../util/file-name.ts'
import type { PendingUpload, Uploads } from './uploads.ts'

/** A file that the program itself uploads. */
interface OwnFile {
  readonly name: string
  readonly content: AsyncIterable<Uint8Array>
  /** Number of places that the file is for, each of which gets an upload of its own. Default: 1. */
  readonly places?: number
}

/**
 * Uploads a file in this process, without the limits of a user's uploads.
 *
 * @throws {AppError} as `Uploads.admit` and `Uploads.receive`
 */
export async function uploadHere(
  uploads: Uploads,
  actor: Actor,
  model: string,
  field: string,
  { name, content, places = 1 }: OwnFile,
): Promise<readonly PendingUpload[]> {
  const target = uploads.admit(actor, model, field)
  const received = await uploads.receive(target, content, cleanFileName(name))
  return uploads.register(target, new Array<typeof received>(places).fill(received))
}

/** A file that is open for reading. */
interface OpenFile {
  readonly handle: { createReadStream(options: { autoClose: boolean; start: number }): AsyncIterable<Uint8Array> }
}

/** Uploads files that seeds name. */
export const seedFileTaker =
  (uploads: Uploads) =>
  async (model: Model, field: FileField, { handle }: OpenFile, { name }: { readonly name: string }): Promise<string> => {
    const content = handle.createReadStream({ autoClose: false, start: 0 })
    const [upload] = await uploadHere(uploads, SYSTEM, model.key, field.name, { name, content })
    return upload?.id ?? ''
  }

/** A file in memory. */
interface FileInMemory {
  readonly name: string
  readonly bytes: Uint8Array
}

/** Uploads files of mock data. */
export const mockUploader =
  (uploads: Uploads) =>
  async (model: Model, field: FileField, { name, bytes }: FileInMemory, places: number): Promise<readonly string[]> => {
    const content = (async function* () {
      yield bytes
    })()
    const found = await uploadHere(uploads, SYSTEM, model.key, field.name, { name, content, places })
    return found.map(({ id }) => id)
  }
