// Run by `npm run build`: writes the files of the package that the compiler does not: Swagger UI, JSON Schemas, the command
// tree.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
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
