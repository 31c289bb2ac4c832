import { Command } from 'commander'
import { apiDocument } from '../../http/api.ts'
import type { Io } from '../io.ts'
import { remoteDocument } from '../model-requests.ts'
import { writeOutput } from '../output-file.ts'
import { withProject, withProjectOption } from '../project-options.ts'
import { type DocumentOptions, withServerOptions } from '../remote.ts'

const EXAMPLES = `
Examples:
  $ admin openapi -o openapi.json && npx openapi-typescript openapi.json -o api.ts
  $ admin openapi --url https://example.com
`

/** `admin openapi`: prints the OpenAPI document of a project, whose data it does not open, or of a running server. */
export function openapiCommand(io: Io): Command {
  return withServerOptions(withProjectOption(new Command('openapi').description('print the OpenAPI 3.1 document of a project')))
    .option('-o, --output <file>', 'write to a file instead of stdout')
    .addHelpText('after', EXAMPLES)
    .action(async (options: DocumentOptions & { output?: string }) => {
      const document =
        (await remoteDocument(io, options)) ?? (await withProject(io, options, async (project) => apiDocument(project)))
      await writeOutput(io, `${JSON.stringify(document, null, 2)}\n`, options.output)
    })
}
