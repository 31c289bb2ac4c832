import { Command } from 'commander'
import { openApiDocument } from '../../contract/openapi.ts'
import { apiRoots } from '../../http/paths.ts'
import type { Io } from '../io.ts'
import { writeOutput } from '../output-file.ts'
import { type ProjectOptions, withProject, withProjectOption } from '../project-options.ts'

/** `admin openapi`: prints the description of the API, without starting a server and without touching data. */
export function openapiCommand(io: Io): Command {
  return withProjectOption(new Command('openapi').description('print the API of a project in OpenAPI 3.1'))
    .option('-o, --output <file>', 'write it into a file')
    .addHelpText('after', '\nExample:\n  $ admin openapi -o openapi.json && npx openapi-typescript openapi.json -o api.ts\n')
    .action((options: ProjectOptions & { output?: string }) =>
      withProject(io, options, async (project) => {
        const document = openApiDocument(project, apiRoots(project.settings))
        await writeOutput(io, `${JSON.stringify(document, null, 2)}\n`, options.output)
      }),
    )
}
