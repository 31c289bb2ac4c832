import { AppError } from '../../errors.ts'

/** No space left on the device, the quota of the user is used up, and disk_full of PostgreSQL (SQLSTATE). */
const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', '53100'])

/** The error of a file for which there is no space. */
const storageFull = (cause?: unknown): AppError =>
  new AppError('STORAGE_FULL', 'There is no space left for the file, and it was not stored; free disk space and try again', {
    cause,
  })

/**
 * STORAGE_FULL for an error of a disk that is full, or one that was caused by it directly; others as they are, such as that of a failed sync, after
 * which it is unknown what is stored.
 */
export const explainedFull = (error: unknown): unknown =>
  isFull(error) || (error instanceof Error && isFull(error.cause)) ? storageFull(error) : error

const isFull = (error: unknown): boolean => error instanceof Error && FULL.has(Reflect.get(error, 'code'))
