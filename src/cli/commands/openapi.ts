import { Command } from 'commander'
import { apiRoots } from '../../http/paths.ts'
import { openApiDocument } from '../../openapi/document.ts'
import { type ProjectOptions, withProject, withProjectOption } from '../project/project-options.ts'
import type { Io } from '../terminal/io.ts'
import { writeOutput } from '../terminal/output-file.ts'

/** `admin openapi`: prints the OpenAPI document without starting a server or opening the data. */
export function openapiCommand(io: Io): Command {
  return withProjectOption(new Command('openapi').description('print the OpenAPI 3.1 document of a project'))
    .option('-o, --output <file>', 'write to a file instead of stdout')
    .addHelpText('after', '\nExample:\n  $ admin openapi -o openapi.json && npx openapi-typescript openapi.json -o api.ts\n')
    .action((options: ProjectOptions & { output?: string }) =>
      withProject(io, options, async (project) => {
        const document = openApiDocument(project, apiRoots(project.settings))
        await writeOutput(io, `${JSON.stringify(document, null, 2)}\n`, options.output)
      }),
    )
}
