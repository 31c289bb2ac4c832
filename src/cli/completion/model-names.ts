import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Those that are there without being defined. */
const BUILT_IN = ['user', 'group', 'permission']

/** More than a person writes into one file. */
const MAX_BYTES = 1_000_000

/** `name: Post`, `"name": "Post"`, `name: 'Post'`: in every language a definition is written in. Names of fields are not capitalised. */
const NAMED = /\bname["']?\s*:\s*["'`]?([A-Z][A-Za-z0-9]*)(?!\w)/g

/**
 * The models of the project in a folder, as far as its text shows them; none where there is no project. Nothing in the folder is run
 * or believed, since a shell asks at the press of a key, wherever one happens to be: names are letters and digits.
 */
export async function modelNamesIn(folder: string): Promise<readonly string[]> {
  const rooms = await readdir(join(folder, 'models')).catch(() => [])
  const texts = await Promise.all(
    rooms.filter((name) => /\.(ya?ml|json|ts|js)$/i.test(name)).map((name) => textOf(join(folder, 'models', name))),
  )
  if (rooms.length === 0) return []
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
