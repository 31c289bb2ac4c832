import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Command } from 'commander'
import { AppError } from '../../errors.ts'
import { typesOf } from '../../openapi/typescript/model-types.ts'
import { type ProjectOptions, withProject, withProjectOption } from '../project/project-options.ts'
import { firstDifference } from '../terminal/difference.ts'
import type { Io } from '../terminal/io.ts'
import { writeOutput } from '../terminal/output-file.ts'

type TypesOptions = ProjectOptions & { readonly output?: string; readonly check?: boolean }

/** `admin types`: prints the TypeScript types of a project, or checks that a file with them is up to date. */
export function typesCommand(io: Io): Command {
  return withProjectOption(
    new Command('types').description('print TypeScript types of the records, inputs and filters of a project'),
  )
    .option('-o, --output <file>', 'write to a file instead of stdout')
    .option('--check', 'write nothing; exit 1 if the file given by -o is not up to date')
    .addHelpText('after', '\nExample:\n  $ admin types -o src/admin.ts\n  $ admin types -o src/admin.ts --check\n')
    .action((options: TypesOptions) =>
      withProject(io, options, async (project) => {
        const types = typesOf(project)
        if (options.check === true) await check(types, options.output, io)
        else await writeOutput(io, types, options.output)
      }),
    )
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
