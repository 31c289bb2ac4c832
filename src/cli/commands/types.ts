import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Command } from 'commander'
import { AppError } from '../../errors.ts'
import { endpointsBy } from '../../openapi/endpoint-types.ts'
import { describedBy, typesOf, typesOfModels } from '../../openapi/typescript.ts'
import type { Io } from '../io.ts'
import { remoteDocument } from '../model-requests.ts'
import { writeOutput } from '../output-file.ts'
import { withProject, withProjectOption } from '../project-options.ts'
import { type DocumentOptions, withServerOptions } from '../remote.ts'

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
          : typesOfModels(describedBy(document), endpointsBy(document))
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

/** Maximum number of lines printed of each side. */
const SHOWN_LINES = 8

/**
 * Formats the lines between the common start and the common end of two texts, like `diff`: removed lines, then added lines.
 *
 * @returns undefined when the texts are equal
 */
function firstDifference(before: string, after: string): string | undefined {
  if (before === after) return undefined
  const [oldLines, newLines] = [before.split('\n'), after.split('\n')]
  const shorter = Math.min(oldLines.length, newLines.length)
  let start = 0
  while (start < shorter && oldLines[start] === newLines[start]) start++
  let end = 0
  while (end < shorter - start && oldLines.at(-1 - end) === newLines.at(-1 - end)) end++
  const removed = oldLines.slice(start, oldLines.length - end)
  const added = newLines.slice(start, newLines.length - end)
  return `@@ line ${start + 1} @@\n${firstLines('-', removed)}${firstLines('+', added)}`
}

function firstLines(sign: '-' | '+', lines: readonly string[]): string {
  const shown = lines.slice(0, SHOWN_LINES).map((line) => `${sign}${line}\n`)
  return shown.join('') + (lines.length > SHOWN_LINES ? `${sign} … and ${lines.length - SHOWN_LINES} more lines\n` : '')
}
