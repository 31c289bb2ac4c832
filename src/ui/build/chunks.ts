import { fileURLToPath } from 'node:url'
import type { IndexHtmlTransformContext, Plugin, Rolldown } from 'vite'

/** The page that most visits begin with, or open first. */
const LIST_PAGE = fileURLToPath(new URL('../pages/list.tsx', import.meta.url))

/** The module that the document loads; its chunk has the name of the document. */
const ENTRY = fileURLToPath(new URL('../main.tsx', import.meta.url))

/**
 * Puts what the first list needs into a few chunks, and has the document load them at once. By default each set of pages that share a
 * module has a chunk of its own, while a browser loads six of them at a time over HTTP/1.1. Not into one: a chunk is compiled while the
 * next is loaded.
 */
export function chunksPlugin(): Plugin {
  /** The modules that the list page imports, directly or not. */
  let ofList: ReadonlySet<string> = new Set()
  /** Those of them that other pages import, too. */
  let shared: ReadonlySet<string> = new Set()
  /** The icons that they import, as ends of module ids. All icons are imported through one module, so that the importers of one do not tell. */
  let icons: readonly string[] = []
  const groups: Rolldown.CodeSplittingGroup[] = [
    { name: 'react', tags: ['$initial'], test: /\/node_modules\/(?:react|react-dom|scheduler)\// },
    { name: 'libraries', tags: ['$initial'], test: /\/node_modules\// },
    { name: 'page', tags: ['$initial'], test: (id) => id !== ENTRY && !id.endsWith('.html') },
    { name: 'list-parts', test: (id) => shared.has(id) || icons.some((icon) => id.endsWith(icon)) },
  ]
  return {
    name: 'chunks',
    apply: 'build',
    config: () => ({ build: { rolldownOptions: { output: { codeSplitting: { groups } } } } }),
    buildEnd() {
      ofList = importsOf(LIST_PAGE, (id) => this.getModuleInfo(id)?.importedIds ?? [])
      const isOther = (id: string) => !ofList.has(id)
      shared = new Set([...ofList].filter((id) => this.getModuleInfo(id)?.importers.some(isOther)))
      const codeOf = (id: string) => this.getModuleInfo(id)?.code ?? ''
      icons = iconFiles(
        [...ofList].filter((id) => !id.includes('/node_modules/')).map(codeOf),
        codeOf([...ofList].find((id) => id.endsWith(ICONS)) ?? ''),
      )
    },
    transformIndexHtml: { order: 'post', handler: (html, context) => listPreloads(html, context) },
  }
}

/** The module of lucide-react that exports all icons. */
const ICONS = '/lucide-react.mjs'

/** The files of the icons that modules import. @param exported code of the module that exports all icons */
function iconFiles(codes: readonly string[], exported: string): readonly string[] {
  const imports = codes.flatMap((code) => [...code.matchAll(/import\s*\{([^}]*)\}\s*from\s*["']lucide-react["']/g)])
  const names = new Set(imports.flatMap(([, list = '']) => list.split(',').map((each) => each.trim().split(' ')[0] ?? '')))
  return [...exported.matchAll(/export \{([^}]*)\} from '\.(\/icons\/[^']+)'/g)].flatMap(([, list = '', file = '']) =>
    [...list.matchAll(/ as (\w+)/g)].some(([, name = '']) => names.has(name)) ? [file] : [],
  )
}

/** A module and all that it imports. */
function importsOf(start: string, imported: (id: string) => readonly string[]): Set<string> {
  const found = new Set([start])
  // A set that grows while it is read.
  for (const id of found) for (const each of imported(id)) found.add(each)
  return found
}

/** Links that load the chunks of the list page beside those of the entry. */
function listPreloads(html: string, { bundle = {} }: IndexHtmlTransformContext) {
  const list = Object.values(bundle).find((each) => each.type === 'chunk' && each.facadeModuleId === LIST_PAGE)
  if (list === undefined) throw new Error(`The build has no chunk of ${LIST_PAGE}`)
  const files = importsOf(list.fileName, (name) => {
    const chunk = bundle[name]
    return chunk?.type === 'chunk' ? chunk.imports : []
  })
  return [...files]
    .filter((file) => !html.includes(file))
    .map((file) => ({
      tag: 'link',
      attrs: { rel: 'modulepreload', crossorigin: true, href: `./${file}` },
      injectTo: 'head' as const,
    }))
}
