import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../errors.ts'
import type { Random } from '../util/ids.ts'

const MIN_BYTES = 32

/** Generates a signing key for tokens. */
export const makeSecret = (random: Random): string => random(48).toString('base64url')

/**
 * Returns the signing key for projects that configure none: created once and stored in `<folder>/secret`, readable by its owner
 * only.
 *
 * @throws {AppError} CONFIG_INVALID when the file holds fewer than 32 bytes
 */
export async function loadOrCreateSecret(folder: string, random: Random): Promise<string> {
  const path = join(folder, 'secret')
  const stored = await readSecret(path)
  if (stored !== undefined) return stored
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const secret = makeSecret(random)
  try {
    await writeFile(path, `${secret}\n`, { mode: 0o600, flag: 'wx' })
    return secret
  } catch (error) {
    // Another process created the file first.
    const other = (error as NodeJS.ErrnoException).code === 'EEXIST' ? await readSecret(path) : undefined
    if (other === undefined) throw error
    return other
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
    throw new AppError('CONFIG_INVALID', `${path} holds fewer than ${MIN_BYTES} bytes; delete it, and a new secret is generated`)
  }
  // A copied folder may have lost the file's mode. If the file belongs to another user, that user has to correct it.
  await chmod(path, 0o600).catch(() => {})
  return secret
}
