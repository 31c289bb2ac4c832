import { AppError } from '../../errors.ts'

/** No space left on the device, and the quota of the user is used up. */
const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT'])

/** The error of a file for which there is no space. */
export const storageFull = (cause?: unknown): AppError =>
  new AppError('STORAGE_FULL', 'There is no space left for the file, and it was not stored; free disk space and try again', {
    cause,
  })

/** STORAGE_FULL for an error of a disk that is full; others as they are. */
export const explainedFull = (error: unknown): unknown =>
  error instanceof Error && FULL.has(Reflect.get(error, 'code')) ? storageFull(error) : error
