import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../errors.ts'
import type { Random } from '../util/ids.ts'

const MIN_BYTES = 32

/** A new key to sign tokens with. */
export const makeSecret = (random: Random): string => random(48).toString('base64url')

/**
 * The key that tokens are signed with when the configuration names none: made once and kept in `<folder>/secret`,
 * readable by its owner alone.
 *
 * @throws {AppError} CONFIG_INVALID when the file holds fewer than 32 bytes
 */
export async function loadOrCreateSecret(folder: string, random: Random): Promise<string> {
  const path = join(folder, 'secret')
  const kept = await readSecret(path)
  if (kept !== undefined) return kept
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const made = makeSecret(random)
  try {
    await writeFile(path, `${made}\n`, { mode: 0o600, flag: 'wx' })
    return made
  } catch (error) {
    // Another process was first.
    const theirs = (error as NodeJS.ErrnoException).code === 'EEXIST' ? await readSecret(path) : undefined
    if (theirs === undefined) throw error
    return theirs
  }
}

async function readSecret(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new AppError('TASK_FAILED', `The secret ${path} cannot be read: ${error.message}`, { cause: error })
  })
  if (text === undefined) return undefined
  const secret = text.trim()
  if (Buffer.byteLength(secret) < MIN_BYTES) {
    throw new AppError('CONFIG_INVALID', `${path} holds fewer than ${MIN_BYTES} bytes; delete it to have a new secret made`)
  }
  // A copied folder may have been given to everybody. Where it is somebody else's file, it is theirs to close.
  await chmod(path, 0o600).catch(() => {})
  return secret
}
