import { queryText } from './query.ts'
import type { ApiRequest } from './transport.ts'
import type { UploadedFile, UploadOptions } from './types-files.ts'

/** Maximum number of files of a request. */
export const MAX_FILES_PER_REQUEST = 20

/** Sends a request and returns the JSON of its answer. */
type SendJson = (request: ApiRequest) => Promise<unknown>

/** Uploads of files for the fields of one model. */
export class FieldUploads {
  readonly #root: string
  readonly #send: SendJson

  /** @param root path of the model's uploads, without a slash at the end */
  constructor(root: string, send: SendJson) {
    this.#root = root
    this.#send = send
  }

  /** Uploads files, 20 a request, and returns them in order. @throws {AdminError} with the messages of the field in `fieldErrors` */
  async upload(field: string, files: readonly Blob[], { onProgress, signal }: UploadOptions = {}): Promise<UploadedFile[]> {
    const total = files.reduce((sum, { size }) => sum + size, 0)
    const uploaded: UploadedFile[] = []
    let before = 0
    for (let start = 0; start < files.length; start += MAX_FILES_PER_REQUEST) {
      const some = files.slice(start, start + MAX_FILES_PER_REQUEST)
      const size = some.reduce((sum, each) => sum + each.size, 0)
      const done = before
      // A form is larger than its files: what is told is their share.
      const told = onProgress && ((sent: number, all: number) => onProgress(done + Math.floor((sent / (all || 1)) * size), total))
      const answer = await this.#send({ ...this.#request(field, some), onProgress: told, signal })
      uploaded.push(...(answer as { data: UploadedFile[] }).data)
      before += size
    }
    return uploaded
  }

  /** One file is the body; several are parts of a form. */
  #request(field: string, files: readonly Blob[]): Pick<ApiRequest, 'method' | 'path' | 'headers' | 'file'> {
    const path = `${this.#root}/${encodeURIComponent(field)}`
    const [only, ...others] = files
    if (only !== undefined && others.length === 0) {
      const headers = { 'Content-Type': only.type === '' ? 'application/octet-stream' : only.type }
      return { method: 'POST', path: path + queryText([['name', nameOf(only)]]), headers, file: only }
    }
    const form = new FormData()
    for (const each of files) form.append('file', each, nameOf(each) ?? 'file')
    return { method: 'POST', path, file: form }
  }
}

/**
 * Uploads the bytes among the values of a record, and returns the values with ids in their place.
 *
 * @param upload uploads files for a field, in order
 */
export async function withIds(
  data: object,
  upload: (field: string, files: readonly Blob[]) => Promise<readonly UploadedFile[]>,
): Promise<Readonly<Record<string, unknown>>> {
  const members: [string, unknown][] = []
  for (const [field, value] of Object.entries(data)) {
    const items: unknown[] = [value].flat()
    const bytes = items.filter((each) => each instanceof Blob)
    const ids = bytes.length === 0 ? [] : (await upload(field, bytes)).map(({ id }) => id)
    const named = items.map((each) => (each instanceof Blob ? ids.shift() : each))
    members.push([field, bytes.length === 0 ? value : Array.isArray(value) ? named : named[0]])
  }
  return Object.fromEntries(members)
}

/** The name of a `File`; undefined for other bytes. */
const nameOf = (file: Blob): string | undefined => ('name' in file && typeof file.name === 'string' ? file.name : undefined)
