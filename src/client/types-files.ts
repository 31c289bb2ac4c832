import type { CallOptions } from './types-calls.ts'

/** A file that a request names: the id of an upload or of a file of the record, or an object with this id. */
export type FileReference =
  | string
  | {
      readonly id: string
      /** File name of the download. */
      readonly name?: string
      /** Alternative text. */
      readonly alt?: string | null
    }

/** A file of a record. */
export interface AddressedFile {
  /** Path on the server; absent in answers of dry runs. */
  readonly url?: string | undefined
}

/** A file that was received for a field and is in no record yet. */
export interface UploadedFile {
  /** What a record names it by. */
  readonly id: string
  readonly name: string
  /** Media type, detected from the bytes. */
  readonly type: string
  /** In bytes. */
  readonly size: number
  readonly sha256: string
  /** In pixels; null for a file that is no image. */
  readonly width: number | null
  readonly height: number | null
  /** Time at which it is deleted, unless a record has it by then. */
  readonly expires_at: string
}

/** Options of an upload. */
export interface UploadOptions extends CallOptions {
  /** Called as bytes are sent, with those of all files. In browsers only: `fetch` tells no progress. */
  readonly onProgress?: ((sent: number, total: number) => void) | undefined
}

/** Options of the address of a file. */
export interface FileAddressOptions {
  /** The name of a thumbnail of the field, such as `preview`. */
  readonly thumbnail?: string | undefined
  /** Makes browsers save the file. */
  readonly download?: boolean | undefined
}

/** Options of signed addresses. */
export interface LinkOptions extends CallOptions {
  /** In seconds, at most 7 days. Default: one hour. */
  readonly expiresIn?: number | undefined
}

/** Values to send, in which the bytes of a file may stand for the file. */
export type WithBytes<T> = { readonly [K in keyof T]: T[K] | BytesFor<T[K]> }

type NamedFile = Exclude<FileReference, string>

type BytesFor<V> = NamedFile extends V ? Blob : NamedFile[] extends V ? readonly (FileReference | Blob)[] : never
