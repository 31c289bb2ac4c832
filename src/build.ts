// Run by `npm run build` after the compiler has written the declarations: bundles the code, and writes what else the package
// contains: Swagger UI, JSON Schemas, the command tree, the names of icons. Removes the declarations that an import of the package does not reach.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, isAbsolute, join } from 'node:path'
import icons from 'lucide-react/dynamicIconImports.mjs'
import { build } from 'rolldown'
import { COMMAND_TREE_FILE, commandTree } from './cli/command-tree.ts'
import { processIo } from './cli/io.ts'
import { buildProgram } from './cli/main.ts'
import { ICON_NAMES_FILE } from './lint/rules/models.ts'
import { fileSchemas } from './openapi/project-schemas.ts'
import { ownFile } from './util/files.ts'

/** The entries of the package, as `exports` of package.json names them. */
const ENTRIES = ['index', 'client/client', 'client/react-admin', 'client/refine']

/** The modules that `bin/admin.js` imports, and the scripts of worker threads and of the image process. */
const PROGRAM = [
  ...['cli/main', 'cli/complete', 'cli/io'],
  ...['store/embedded/files/compact-worker', 'auth/argon2-worker', 'images/image-worker'],
]

/**
 * Files of Swagger UI that the page at `/docs` needs, and its licences. The package itself is ten times larger and runs an
 * install script.
 */
const SWAGGER_UI_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'LICENSE', 'NOTICE']

const dist = ownFile('dist')

// Node.js needs a fifth less time to start a command if it does not read hundreds of small files. Packages stay outside.
await build({
  input: Object.fromEntries([...ENTRIES, ...PROGRAM].map((entry) => [entry, ownFile(`src/${entry}.ts`)])),
  platform: 'node',
  external: (name) => !name.startsWith('.') && !isAbsolute(name),
  output: { dir: dist, chunkFileNames: 'chunks/[name].js', comments: false },
})

const swaggerUi = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
const target = join(dist, 'swagger-ui')
mkdirSync(target, { recursive: true })
for (const name of SWAGGER_UI_FILES) copyFileSync(join(swaggerUi, name), join(target, name))

const schemas = ownFile('schemas')
mkdirSync(schemas, { recursive: true })
for (const [name, schema] of Object.entries(fileSchemas())) {
  writeFileSync(join(schemas, name), `${JSON.stringify(schema, null, 2)}\n`)
}

writeFileSync(ICON_NAMES_FILE, JSON.stringify(Object.keys(icons).sort()))

writeFileSync(COMMAND_TREE_FILE, `${JSON.stringify(commandTree(await buildProgram(processIo())))}\n`)

/** Collects the declaration files that a declaration file imports, itself included. */
function collectDeclarations(path: string, found: Set<string>): void {
  if (found.has(path)) return
  found.add(path)
  for (const [, from = ''] of readFileSync(path, 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g)) {
    collectDeclarations(join(dirname(path), from.replace(/\.[jt]s$/, '.d.ts')), found)
  }
}

const reachable = new Set<string>()
for (const entry of ENTRIES) collectDeclarations(join(dist, `${entry}.d.ts`), reachable)
for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
  const path = join(dist, name)
  if (name.endsWith('.d.ts') && !reachable.has(path)) rmSync(path)
}
