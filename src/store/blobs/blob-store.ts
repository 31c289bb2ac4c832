import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'

/** Bytes that were received and are durable in a file of this process, not yet kept under their hash. */
export interface ReceivedFile {
  /** The file, in the folder `incoming` of the store. */
  readonly path: string
  /** In bytes. */
  readonly size: number
  /** Hexadecimal. */
  readonly sha256: string
}

/** A kept hash. */
export interface KeptBlob {
  readonly sha256: string
  /** In bytes. */
  readonly size: number
  /** When the bytes were received or kept, in milliseconds since the Unix epoch. */
  readonly keptAt: number
}

/** The first and the last byte of a part, from 0. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** Keeps the bytes of files under their SHA-256, in hexadecimal. Bytes of a hash never change. */
export interface BlobStore {
  /**
   * The folder in which bodies are received, on the disk of this process. It is created by the first one. Where the bytes are kept in a
   * folder, it is on the same file system.
   */
  readonly incoming: string
  /**
   * Keeps received bytes under their hash. When it resolves they are durable, whether they were kept already or not. The received file is gone,
   * also after a failure.
   *
   * @throws {AppError} STORAGE_FULL
   */
  keep(file: ReceivedFile): Promise<void>
  /**
   * Reads bytes, with back-pressure and in bounded memory. The stream must be read to its end or destroyed.
   *
   * @param range a part, which must be within the bytes; all of them when absent
   * @returns undefined if the hash is not kept
   */
  open(sha256: string, range?: ByteRange): Promise<Readable | undefined>
  /** Size in bytes; undefined if the hash is not kept. */
  size(sha256: string): Promise<number | undefined>
  /** Every kept hash, in their order. What is kept or removed meanwhile may be missing. */
  list(): AsyncIterable<KeptBlob>
  /** Removes the bytes of a hash, if they are kept. Streams that are open may fail. */
  remove(sha256: string): Promise<void>
  /** Free bytes on the disk that receives files, which is also that of the kept ones if they are in a folder. */
  free(): Promise<number>
  /**
   * Runs work while no other caller, in any process that shares the bytes, is in work for one of the same hashes: an upload, which keeps bytes
   * and writes who has them, and a sweep, which looks who has them and removes them. Work for further hashes must not be nested in it.
   *
   * @param hashes one, or all that the work is about
   * @throws {AppError} STORE_UNAVAILABLE, OUTCOME_UNKNOWN if the exclusion was lost, also when the work is done
   */
  exclusively<T>(hashes: string | readonly string[], work: () => Promise<T>): Promise<T>
  /** Removes files from `incoming` that were last written at least so long ago: those of processes that were killed. */
  clean(olderThanMs: number): Promise<void>
}

const SHA256 = /^[0-9a-f]{64}$/

/** True for a SHA-256 in hexadecimal. */
export const isSha256 = (text: string): boolean => SHA256.test(text)

/** Reads all bytes of a hash. True if they have it, undefined if the hash is not kept. */
export async function isWhole(blobs: Pick<BlobStore, 'open'>, sha256: string): Promise<boolean | undefined> {
  const content = await blobs.open(sha256)
  if (content === undefined) return undefined
  const hash = createHash('sha256')
  for await (const piece of content) hash.update(piece)
  return hash.digest('hex') === sha256
}
