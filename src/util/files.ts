import { existsSync, readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The folder of this package. The build decides how deep a module lies in it, so it is the nearest one with a `package.json`. */
const FOLDER = packageFolder(import.meta.dirname)

function packageFolder(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : packageFolder(dirname(folder))
}

/** The absolute path of a file of this package. @param path relative to the folder of the package */
export const ownFile = (path: string): string => join(FOLDER, path)

const { version, engines } = JSON.parse(readFileSync(ownFile('package.json'), 'utf8'))

/** The version of this package. */
export const VERSION: string = version

/** The versions of Node.js that run this package, such as `>=20.19`. */
export const NODE_VERSIONS: string = engines.node

/** True for the error of a call of the file system about a path that does not exist. */
export const isAbsent = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

/** Makes a call of the file system return undefined for a path that does not exist, as its `catch`. */
export function undefinedIfAbsent(error: unknown): undefined {
  if (!isAbsent(error)) throw error
}

/** True for folders, devices and pipes; false for files and for paths that do not exist. Follows symbolic links. */
export const isNoFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => !found.isFile(),
    () => false,
  )

/** True for folders. Follows symbolic links. */
export const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

/** True if a call of the file system succeeds: a file is there, or may be written. */
export const callSucceeds = (call: Promise<unknown>): Promise<boolean> =>
  call.then(
    () => true,
    () => false,
  )
