import { stat } from 'node:fs/promises'

/** True for folders, devices and pipes; false for files and for paths that do not exist. Follows symbolic links. */
export const isNoFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => !found.isFile(),
    () => false,
  )
