import { execFile } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '../fixture.ts'

const ROOT = join(import.meta.dirname, '../../..')
const MODULES = join(ROOT, 'node_modules')

const OPTIONS = {
  compilerOptions: {
    target: 'es2023',
    lib: ['es2023', 'dom'],
    module: 'nodenext',
    types: [],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    // Of whatever else is imported, as their own packages have it.
    skipLibCheck: true,
    paths: {
      // As it is published: its sources want node's types.
      'admin-folder': [join(ROOT, 'dist/index.d.ts')],
      ...Object.fromEntries(
        ['client', 'react-admin', 'refine'].map((name) => [`admin-folder/${name}`, [join(ROOT, `src/client/${name}.ts`)]]),
      ),
    },
  },
}

/** What the compiler has to say, under strict, of files that stand alone (name → content); nothing when they are right. */
export async function typeCheck(files: Readonly<Record<string, string>>): Promise<string> {
  await using folder = await temporaryFolder()
  await symlink(MODULES, join(folder.path, 'node_modules'))
  const all = { ...files, 'package.json': '{"type":"module"}', 'tsconfig.json': JSON.stringify(OPTIONS) }
  for (const [name, content] of Object.entries(all)) {
    await mkdir(dirname(join(folder.path, name)), { recursive: true })
    await writeFile(join(folder.path, name), content)
  }
  return await new Promise((resolve) => {
    execFile(process.execPath, [join(MODULES, 'typescript/bin/tsc'), '--project', folder.path], (_, stdout, stderr) =>
      resolve(stdout + stderr),
    )
  })
}
