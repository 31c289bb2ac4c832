import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Command } from 'commander'
import { AppError } from '../../../errors.ts'
import { describedBy } from '../../../openapi/typescript/described-document.ts'
import { typesOf, typesOfModels } from '../../../openapi/typescript/model-types.ts'
import { type DocumentOptions, withServerOptions } from '../../api/remote.ts'
import { remoteDocument } from '../../api/remote-document.ts'
import { withProject, withProjectOption } from '../../project/project-options.ts'
import { firstDifference } from '../../terminal/difference.ts'
import type { Io } from '../../terminal/io.ts'
import { writeOutput } from '../../terminal/output-file.ts'

type TypesOptions = DocumentOptions & { readonly output?: string; readonly check?: boolean }

/** `admin types`: prints the TypeScript types of a project, or checks that a file with them is up to date. */
export function typesCommand(io: Io): Command {
  const types = new Command('types').description('print TypeScript types of the records, inputs and filters of a project')
  return withServerOptions(withProjectOption(types))
    .option('-o, --output <file>', 'write to a file instead of stdout')
    .option('--check', 'write nothing; exit 1 if the file given by -o is not up to date')
    .addHelpText(
      'after',
      '\nExamples:\n  $ admin types -o src/admin.ts\n  $ admin types -o src/admin.ts --check\n  $ admin types --url https://example.com -o src/admin.ts\n',
    )
    .action(async (options: TypesOptions) => {
      const document = await remoteDocument(io, options)
      const text =
        document === undefined
          ? await withProject(io, options, async (project) => typesOf(project))
          : typesOfModels(describedBy(document))
      if (options.check === true) await check(text, options.output, io)
      else await writeOutput(io, text, options.output)
    })
}

/** @throws {AppError} TASK_FAILED when the file differs or cannot be read; USAGE without a file */
async function check(types: string, file: string | undefined, io: Io): Promise<void> {
  if (file === undefined) throw new AppError('USAGE', '--check needs the file to check: admin types -o FILE --check')
  const current = await readFile(resolve(io.cwd, file), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new AppError('TASK_FAILED', `${file} cannot be read: ${error.message}`)
  })
  const difference = firstDifference(current.replaceAll('\r\n', '\n'), types)
  if (difference === undefined) {
    io.stderr.write(`${file} is up to date\n`)
    return
  }
  io.stdout.write(difference)
  throw new AppError('TASK_FAILED', `${file} is not up to date; update it: admin types -o ${file}`)
}
