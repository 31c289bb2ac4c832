import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Models that exist in every project. */
const BUILT_IN = ['user', 'group', 'permission']

/** Larger files are skipped: model definitions are written by hand. */
const MAX_BYTES = 1_000_000

/** Matches `name: Post`, `"name": "Post"` and `name: 'Post'`, in YAML, JSON and TypeScript. Field names are not capitalised. */
const NAMED = /\bname["']?\s*:\s*["'`]?([A-Z][A-Za-z0-9]*)(?!\w)/g

/**
 * Returns the model keys of the project in a folder, found in the text of its files; empty without a `models` folder.
 *
 * Completion runs in any folder, so no file is executed or trusted: names consist of letters and digits only.
 */
export async function modelNamesIn(folder: string): Promise<readonly string[]> {
  const files = await readdir(join(folder, 'models')).catch(() => [])
  const texts = await Promise.all(
    files.filter((name) => /\.(ya?ml|json|ts|js)$/i.test(name)).map((name) => textOf(join(folder, 'models', name))),
  )
  if (files.length === 0) return []
  const found = texts.flatMap((text) => [...text.matchAll(NAMED)].map(([, name = '']) => name.toLowerCase()))
  return [...new Set([...found, ...BUILT_IN])].sort()
}

async function textOf(path: string): Promise<string> {
  try {
    const file = await stat(path)
    return file.isFile() && file.size <= MAX_BYTES ? await readFile(path, 'utf8') : ''
  } catch {
    return ''
  }
}
