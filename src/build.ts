// Run by `npm run build`: writes the files of the package that the compiler does not: Swagger UI, JSON Schemas, the command
// tree. Removes the declarations that an import of the package does not reach.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { commandTree } from './cli/completion/command-tree.ts'
import { COMMAND_TREE_FILE } from './cli/completion/complete.ts'
import { buildProgram } from './cli/main.ts'
import { processIo } from './cli/terminal/io.ts'
import { fileSchemas } from './openapi/schemas/project-files.ts'

/**
 * Files of Swagger UI that the page at `/docs` needs, and its licences. The package itself is ten times larger and runs an
 * install script.
 */
const SWAGGER_UI_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'LICENSE', 'NOTICE']

const swaggerUi = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
const target = join(import.meta.dirname, 'swagger-ui')
mkdirSync(target, { recursive: true })
for (const name of SWAGGER_UI_FILES) copyFileSync(join(swaggerUi, name), join(target, name))

const schemas = join(import.meta.dirname, '../schemas')
mkdirSync(schemas, { recursive: true })
for (const [name, schema] of Object.entries(fileSchemas())) {
  writeFileSync(join(schemas, name), `${JSON.stringify(schema, null, 2)}\n`)
}

writeFileSync(COMMAND_TREE_FILE, `${JSON.stringify(commandTree(await buildProgram(processIo())))}\n`)

/** The entries of the package, as `exports` of package.json names them. */
const ENTRIES = ['index', 'client/client', 'client/react-admin', 'client/refine']

/** Collects the declaration files that a declaration file imports, itself included. */
function collectDeclarations(path: string, found: Set<string>): void {
  if (found.has(path)) return
  found.add(path)
  for (const [, from = ''] of readFileSync(path, 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g)) {
    collectDeclarations(join(dirname(path), from.replace(/\.[jt]s$/, '.d.ts')), found)
  }
}

const reachable = new Set<string>()
for (const entry of ENTRIES) collectDeclarations(join(import.meta.dirname, `${entry}.d.ts`), reachable)
for (const name of readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })) {
  const path = join(import.meta.dirname, name)
  if (name.endsWith('.d.ts') && !reachable.has(path)) rmSync(path)
}
