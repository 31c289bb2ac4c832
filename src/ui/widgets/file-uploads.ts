import { AdminError } from '../../client/client.ts'
import { MAX_FILES_PER_REQUEST } from '../../client/field-uploads.ts'
import type { FileValue, Upload, UploadStatus } from '../cells/file-values.ts'

/** Sends files in one request. @returns what was stored, in the order of the files @throws {AdminError} */
export type SendFiles = (
  files: readonly File[],
  options: { readonly signal: AbortSignal; readonly onProgress: (sent: number, total: number) => void },
) => Promise<readonly FileValue[]>

/** Number of requests at a time. */
const MAX_REQUESTS = 2

let count = 0

/** An upload whose status its requests set. */
class FileUpload implements Upload {
  readonly key = `upload-${++count}`
  readonly file: File
  readonly #uploads: FileUploads
  readonly #listeners = new Set<() => void>()
  #status: UploadStatus = { state: 'waiting' }
  #isKept = false
  isCancelled = false

  constructor(file: File, uploads: FileUploads) {
    this.file = file
    this.#uploads = uploads
  }

  readonly status = (): UploadStatus => this.#status

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly ended = (): Promise<void> =>
    new Promise((resolve) => {
      const look = () => {
        const { state } = this.#status
        if (state !== 'done' && state !== 'failed') return
        stop()
        resolve()
      }
      const stop = this.subscribe(look)
      look()
    })

  readonly retry = (): void => {
    if (this.#status.state !== 'failed' || this.isCancelled) return
    this.set({ state: 'waiting' })
    this.#uploads.queue([this])
  }

  readonly release = (): void => {
    this.#isKept = true
  }

  readonly cancel = (): void => {
    if (this.isCancelled || this.#isKept) return
    this.isCancelled = true
    this.#uploads.cancelled(this)
    // A save that waits for it waits no longer, and does not count it as uploaded.
    this.set({ state: 'failed', error: undefined, message: undefined })
  }

  set(status: UploadStatus): void {
    this.#status = status
    this.#tell()
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}

/** A request that is under way. */
interface Running {
  readonly batch: readonly FileUpload[]
  readonly controller: AbortController
}

/** The uploads of a field: the files of one drop go in one request, with few requests at a time. */
export class FileUploads {
  readonly #send: SendFiles
  readonly #forget: (id: string) => void
  #waiting: (readonly FileUpload[])[] = []
  readonly #running = new Set<Running>()

  /** @param forget deletes an upload that arrived and is not wanted any more; a failure is no matter, since uploads expire */
  constructor(send: SendFiles, forget: (id: string) => void) {
    this.#send = send
    this.#forget = forget
  }

  /** Begins to upload files, in requests of at most 20. */
  add(files: readonly File[]): readonly Upload[] {
    const uploads = files.map((file) => new FileUpload(file, this))
    for (let first = 0; first < uploads.length; first += MAX_FILES_PER_REQUEST)
      this.queue(uploads.slice(first, first + MAX_FILES_PER_REQUEST))
    return uploads
  }

  queue(batch: readonly FileUpload[]): void {
    this.#waiting.push(batch)
    this.#next()
  }

  /** Called when an upload was given up. A request without another file is ended. */
  cancelled(upload: FileUpload): void {
    const status = upload.status()
    if (status.state === 'done') this.#forget(status.result.id)
    for (const { batch, controller } of this.#running) if (batch.every(({ isCancelled }) => isCancelled)) controller.abort()
  }

  #next(): void {
    while (this.#running.size < MAX_REQUESTS) {
      const batch = this.#waiting.shift()
      if (batch === undefined) return
      const wanted = batch.filter(({ isCancelled }) => !isCancelled)
      if (wanted.length > 0) void this.#run({ batch: wanted, controller: new AbortController() })
    }
  }

  async #run(running: Running): Promise<void> {
    const { batch, controller } = running
    this.#running.add(running)
    for (const upload of batch) upload.set({ state: 'sending', sent: 0 })
    try {
      const results = await this.#send(
        batch.map(({ file }) => file),
        { signal: controller.signal, onProgress: (sent, total) => spread(batch, sent, total) },
      )
      for (const [place, upload] of batch.entries()) this.#done(upload, results[place])
    } catch (error) {
      this.#failed(batch, error)
    } finally {
      this.#running.delete(running)
      this.#next()
    }
  }

  #done(upload: FileUpload, result: FileValue | undefined): void {
    if (upload.isCancelled) {
      if (result !== undefined) this.#forget(result.id)
      return
    }
    upload.set(result === undefined ? { state: 'failed', error: undefined, message: undefined } : { state: 'done', result })
  }

  /** A request is refused as a whole, and does not say for which of its files: its halves find out. */
  #failed(batch: readonly FileUpload[], error: unknown): void {
    const message = refusalIn(error)
    const wanted = batch.filter(({ isCancelled }) => !isCancelled)
    if (message === undefined || wanted.length < 2) {
      for (const upload of wanted) upload.set({ state: 'failed', error, message })
      return
    }
    const half = Math.ceil(wanted.length / 2)
    for (const upload of wanted) upload.set({ state: 'waiting' })
    this.#waiting = [wanted.slice(0, half), wanted.slice(half), ...this.#waiting]
  }
}

/** The message of the server about a file; undefined for a failure that is not that of the file. */
function refusalIn(error: unknown): string | undefined {
  const messages = error instanceof AdminError ? Object.values(error.fieldErrors).flat() : []
  return messages.length === 0 ? undefined : messages.join('; ')
}

/** Tells each file of a request how much of it was sent: they are sent one after the other. */
function spread(batch: readonly FileUpload[], sent: number, total: number): void {
  const bytes = batch.reduce((sum, { file }) => sum + file.size, 0)
  let rest = total === 0 ? 0 : (sent / total) * bytes
  for (const upload of batch) {
    const own = Math.min(rest, upload.file.size)
    rest -= own
    const status = upload.status()
    if (upload.isCancelled) continue
    if (status.state !== 'sending' || Math.floor(status.sent) !== Math.floor(own)) upload.set({ state: 'sending', sent: own })
  }
}
