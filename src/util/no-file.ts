import { stat } from 'node:fs/promises'

/** True for a folder, a device or a pipe, which may never end; not for a file, nor for what is not there. Symbolic links are followed. */
export const isNoFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => !found.isFile(),
    () => false,
  )
