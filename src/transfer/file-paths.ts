import { constants } from 'node:fs'
import { type FileHandle, open, realpath, stat } from 'node:fs/promises'
import { basename, join, resolve, sep } from 'node:path'
import { isObject } from '../util/json.ts'

/** A file that an import or a seed names by its path. */
export interface NamedPath {
  /** Relative to the folder of the file that names it. */
  readonly path: string
  /** Name of the file in the record. */
  readonly name: string
  readonly alt: string | null
}

/** A file that is open for reading. */
export interface OpenedFile {
  readonly handle: FileHandle
  /** Its path, without symbolic links. */
  readonly path: string
  readonly size: number
}

/** Why a path of an import or a seed is refused. The message follows the name of the field. */
export class PathProblem extends Error {}

/**
 * Reads an item of a file field: a path, or `{path, name?, alt?}`.
 *
 * @returns undefined for an item that names no path, such as an object with an id
 * @throws {PathProblem} for an object with a path and faulty members
 */
export function readNamedPath(item: unknown): NamedPath | undefined {
  if (typeof item === 'string') return { path: item, name: basename(item), alt: null }
  if (!isObject(item) || !Object.hasOwn(item, 'path')) return undefined
  const { path, name, alt, ...others } = item
  const [other] = Object.keys(others)
  if (other !== undefined) throw new PathProblem(`has path, name and alt, not '${other}'`)
  if (typeof path !== 'string') throw new PathProblem('must have a text as its path')
  if (name !== undefined && typeof name !== 'string') throw new PathProblem('must have a text as its name')
  if (alt !== undefined && alt !== null && typeof alt !== 'string') throw new PathProblem('must have a text as its alt')
  return { path, name: name ?? basename(path), alt: alt ?? null }
}

/**
 * Opens a file by a path relative to a folder. The file must be inside the folder, also after symbolic links are followed.
 *
 * @param folder undefined for a text that is no file, such as standard input
 * @throws {PathProblem} if the path leads out of the folder, or to no file that can be read
 */
export async function openInside(folder: string | undefined, path: string): Promise<OpenedFile> {
  if (!isRelativePath(path)) throw outside(path)
  if (folder === undefined) throw new PathProblem(`is a path, '${path}', and standard input has no folder; import a file`)
  const root = await realpath(folder)
  // A pipe does not keep the process waiting.
  const handle = await open(resolve(root, path), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((error: unknown) => {
    throw unreadable(path, error)
  })
  try {
    const real = await realpath(join(root, path))
    const found = await handle.stat()
    if (!real.startsWith(root.endsWith(sep) ? root : root + sep)) throw outside(path)
    // The path may have become a link to another file between the two calls.
    const named = await stat(real)
    if (named.ino !== found.ino || named.dev !== found.dev) throw outside(path)
    if (!found.isFile()) throw new PathProblem(`must name a file; '${path}' is none`)
    return { handle, path: real, size: found.size }
  } catch (error) {
    await handle.close()
    throw error instanceof PathProblem ? error : unreadable(path, error)
  }
}

/** True for a path that begins at its folder and does not go up, whichever system reads it. */
const isRelativePath = (path: string): boolean =>
  path !== '' && !/^[\\/]|^[a-z]:|\0/i.test(path) && !path.split(/[\\/]/).includes('..')

const outside = (path: string): PathProblem =>
  new PathProblem(`must be a path inside the folder of the file that names it, not '${path}'`)

function unreadable(path: string, error: unknown): PathProblem {
  const { code, message } = error as NodeJS.ErrnoException
  const isMissing = code === 'ENOENT' || code === 'ENOTDIR'
  return new PathProblem(isMissing ? `names a file that does not exist: '${path}'` : `cannot be read: ${message}`)
}
