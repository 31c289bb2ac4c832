import { Command } from 'commander'
import { apiRoots } from '../../../http/paths.ts'
import { openApiDocument } from '../../../openapi/document.ts'
import { type DocumentOptions, withServerOptions } from '../../api/remote.ts'
import { remoteDocument } from '../../api/remote-document.ts'
import { withProject, withProjectOption } from '../../project/project-options.ts'
import type { Io } from '../../terminal/io.ts'
import { writeOutput } from '../../terminal/output-file.ts'

/** `admin openapi`: prints the OpenAPI document of a project without opening its data, or that of a server. */
export function openapiCommand(io: Io): Command {
  return withServerOptions(withProjectOption(new Command('openapi').description('print the OpenAPI 3.1 document of a project')))
    .option('-o, --output <file>', 'write to a file instead of stdout')
    .addHelpText('after', '\nExamples:\n  $ admin openapi -o openapi.json && npx openapi-typescript openapi.json -o api.ts\n')
    .addHelpText('after', '  $ admin openapi --url https://example.com\n')
    .action(async (options: DocumentOptions & { output?: string }) => {
      const document =
        (await remoteDocument(io, options)) ??
        (await withProject(io, options, async (project) => openApiDocument(project, apiRoots(project.settings))))
      await writeOutput(io, `${JSON.stringify(document, null, 2)}\n`, options.output)
    })
}
