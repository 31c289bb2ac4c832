import { basename, dirname, isAbsolute, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type BuildOptions, build } from 'rolldown'
import { parseSync } from 'rolldown/utils'
import { ROOT } from './fixture.ts'

/** Folder of compiled files: they find the packages of the project there. */
export const COMPILED = join(ROOT, 'node_modules/.cache/admin-folder')

/** Packages stay outside, save what the compiler itself adds for Node.js versions without `await using`. */
const OPTIONS = {
  platform: 'node',
  transform: { target: 'node20.19' },
  external: (id: string) => !id.startsWith('.') && !isAbsolute(id) && !id.startsWith('@oxc-project/runtime/'),
} satisfies BuildOptions

/**
 * Compiles a script for a child process, with the modules of `src/` that it imports, as the build compiles the program: the process
 * starts sooner than with a TypeScript loader. A worker thread that it starts runs the script in `dist/`, which must have been built.
 *
 * @param path the TypeScript file; two files of one name must not be compiled at once
 * @returns the compiled file
 */
export async function compiledScript(path: string): Promise<string> {
  const name = basename(path, '.ts')
  const dir = join(COMPILED, name)
  await build({
    ...OPTIONS,
    input: { [name]: path },
    output: { dir, entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' },
  })
  return join(dir, `${name}.mjs`)
}

/**
 * Compiles test files together, so that no process of the tests compiles or resolves modules, which takes two seconds for the whole program.
 *
 * @param folder of the test files
 * @param names their paths below it
 * @param target folder of the compiled files, which have the same paths with the extension `.mjs`, and source maps
 */
export async function compileTests(folder: string, names: readonly string[], target: string): Promise<void> {
  await build({
    ...OPTIONS,
    input: Object.fromEntries(names.map((name) => [name.slice(0, -'.ts'.length), join(folder, name)])),
    plugins: [{ name: 'own-paths', transform: withOwnPaths }],
    output: { dir: target, entryFileNames: '[name].mjs', chunkFileNames: 'chunks/[name]-[hash].mjs', sourcemap: true },
  })
}

/** The compiled file of a test file. */
export const compiledTest = (name: string, target: string): string => join(target, name.replace(/\.ts$/, '.mjs'))

/** Tells whether the program runs from source. Compiled tests do not, so that processes and threads that they start run the build. */
const OWN_MODULES = join(ROOT, 'src/util/own-modules.ts')

/** A module knows its own path, which leads to fixtures and scripts; it stays that of the source. Line ends stay where they are. */
function withOwnPaths(code: string, path: string): { code: string; map: null } | undefined {
  if (!code.includes('import.meta.') || path === OWN_MODULES) return undefined
  const own: Readonly<Record<string, string>> = { dirname: dirname(path), filename: path, url: pathToFileURL(path).href }
  // A test may have code in its texts, which stays as it is: the parser tells them apart.
  const parts = parseSync(path, code).module.importMetas.toReversed()
  const replaced = parts.reduce((text, { start, end }) => {
    const [member = '', key = ''] = /^\.(\w+)/.exec(text.slice(end)) ?? []
    return own[key] === undefined ? text : text.slice(0, start) + JSON.stringify(own[key]) + text.slice(end + member.length)
  }, code)
  return { code: replaced, map: null }
}
