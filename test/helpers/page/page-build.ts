import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../fixture.ts'

/** Folder of the built admin page. */
export const PAGE_BUILD = join(ROOT, 'dist/ui')

/** A chunk in the manifest of Vite. */
interface Chunk {
  readonly file: string
  readonly isDynamicEntry?: boolean
  readonly imports?: readonly string[]
  readonly dynamicImports?: readonly string[]
  readonly css?: readonly string[]
}

type Manifest = Readonly<Record<string, Chunk>>

/** Names of the modules in the manifest. */
export const ENTRY = 'index.html'
export const LIST_PAGE = 'pages/list.tsx'

export const readManifest = (): Manifest => JSON.parse(readFileSync(join(PAGE_BUILD, '.vite/manifest.json'), 'utf8')) as Manifest

/** The chunks that load together with some of them: those and their static imports, by their names in the manifest. */
export function chunksLoadedWith(manifest: Manifest, names: readonly string[]): Set<string> {
  const found = new Set<string>()
  const visit = (name: string) => {
    if (found.has(name)) return
    found.add(name)
    for (const each of manifest[name]?.imports ?? []) visit(each)
  }
  for (const name of names) visit(name)
  return found
}

/** The scripts and styles that the document itself names, as paths below the build. */
function filesOfDocument(): string[] {
  const html = readFileSync(join(PAGE_BUILD, 'index.html'), 'utf8')
  return [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].flatMap(([, path]) => path ?? [])
}

/** The scripts and styles that load before the first list, as paths below the build. English texts are part of the entry. */
export function filesOfFirstList(manifest: Manifest): string[] {
  const chunks = [...chunksLoadedWith(manifest, [ENTRY, LIST_PAGE])].map((name) => manifest[name])
  const files = chunks.flatMap((chunk) => (chunk === undefined ? [] : [chunk.file, ...(chunk.css ?? [])]))
  return [...new Set([...filesOfDocument(), ...files])]
}

/** Size of a file of the build as gzip sends it, in bytes; that of the file itself where compression does not make it smaller. */
export function compressedSize(path: string): number {
  const full = join(PAGE_BUILD, path)
  return statSync(existsSync(`${full}.gz`) ? `${full}.gz` : full).size
}
