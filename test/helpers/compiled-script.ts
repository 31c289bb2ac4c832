import { basename, isAbsolute, join } from 'node:path'
import { build } from 'rolldown'
import { ROOT } from './fixture.ts'

/**
 * Compiles a script for a child process, with the modules of `src/` that it imports, as the build compiles the program: the process
 * starts sooner than with a TypeScript loader. A worker thread that it starts runs the script in `dist/`, which must have been built.
 *
 * @param path the TypeScript file; two files of one name must not be compiled at once
 * @returns the compiled file
 */
export async function compiledScript(path: string): Promise<string> {
  const name = basename(path, '.ts')
  const dir = join(ROOT, 'node_modules/.cache/admin-folder', name)
  await build({
    input: { [name]: path },
    platform: 'node',
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    output: { dir, entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' },
  })
  return join(dir, `${name}.mjs`)
}
