/** A file as records have it. */
export interface FileValue {
  readonly id: string
  readonly name: string
  /** Media type. */
  readonly type: string
  /** In bytes. */
  readonly size: number
  /** In pixels; null for what is no image. */
  readonly width: number | null
  readonly height: number | null
  /** Alternative text; absent in uploads. */
  readonly alt?: string | null
  /** Address of the bytes; absent until a record has the file. */
  readonly url?: string
}

/** How far an upload is. */
export type UploadStatus =
  | { readonly state: 'waiting' }
  /** @see sent bytes so far */
  | { readonly state: 'sending'; readonly sent: number }
  | { readonly state: 'done'; readonly result: FileValue }
  /** `message` is that of the server about the file; undefined where it can be tried again */
  | { readonly state: 'failed'; readonly error: unknown; readonly message: string | undefined }

/** A file on its way to the server, or that has arrived but is in no record yet. */
export interface Upload {
  /** Unique in the page. */
  readonly key: string
  readonly file: File
  readonly status: () => UploadStatus
  /** Registers a listener for changes of the status; returns a function that removes it. */
  readonly subscribe: (listener: () => void) => () => void
  /** Resolves when the upload is done or has failed. */
  readonly ended: () => Promise<void>
  /** Sends the file again after a failure. */
  readonly retry: () => void
  /** Gives the file up: what has arrived is deleted. Does nothing after `release`. */
  readonly cancel: () => void
  /** Called when a record has the file. */
  readonly release: () => void
}

/** A file of a field, as it is edited: one of the record, or an upload. */
export interface FileEntry {
  readonly key: string
  readonly name: string
  readonly alt: string | null
  readonly stored?: FileValue
  readonly upload?: Upload
}

/** The value of a field while it has uploads, in the place of what the API takes. */
export class FilesDraft {
  readonly entries: readonly FileEntry[]
  readonly isList: boolean

  constructor(entries: readonly FileEntry[], isList: boolean) {
    this.entries = entries
    this.isList = isList
  }

  /** The files as the API takes them; those of uploads that are not done have their keys. */
  toJSON(): unknown {
    const files = this.entries.map((entry) => ({ id: fileOf(entry)?.id ?? entry.key, name: entry.name, alt: entry.alt }))
    return this.isList ? files : (files[0] ?? null)
  }
}

/** The files of a value in order, as they are edited. */
export function fileEntries(value: unknown): readonly FileEntry[] {
  if (value instanceof FilesDraft) return value.entries
  return (Array.isArray(value) ? (value as readonly unknown[]) : [value]).flatMap((each) =>
    isFileValue(each) ? [{ key: each.id, name: each.name, alt: each.alt ?? null, stored: each }] : [],
  )
}

const isFileValue = (value: unknown): value is FileValue =>
  typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string' && 'name' in value

/** The file of an entry with its edited name; undefined for an upload that is not done. */
export function fileOf({ name, alt, stored, upload }: FileEntry): FileValue | undefined {
  const status = upload?.status()
  const file = status?.state === 'done' ? status.result : stored
  return file && { ...file, name, alt }
}

/** A value of a field of files as records have it. Uploads that are not done have a name only. */
export function filesOfRecord(value: unknown): unknown {
  if (!(value instanceof FilesDraft)) return value ?? null
  const files = value.entries.map((entry) => fileOf(entry) ?? { name: entry.name, alt: entry.alt })
  return value.isList ? files : (files[0] ?? null)
}
