import { readFile } from 'node:fs/promises'
import { Command, CommanderError } from 'commander'
import { AppError } from '../errors.ts'
import { compactCommand } from './commands/compact.ts'
import { completeCommand, completionCommand } from './commands/completion.ts'
import { doctorCommand } from './commands/doctor.ts'
import { exportCommand } from './commands/export.ts'
import { generateCommand } from './commands/generate.ts'
import { importCommand } from './commands/import.ts'
import { initCommand } from './commands/init.ts'
import { lintCommand } from './commands/lint.ts'
import { mockCommand } from './commands/mock.ts'
import { openapiCommand } from './commands/openapi.ts'
import { resetCommand } from './commands/reset.ts'
import { searchCommand } from './commands/search.ts'
import { serveCommand } from './commands/serve.ts'
import { snapshotCommand } from './commands/snapshot.ts'
import { tokenCommand } from './commands/token.ts'
import { typesCommand } from './commands/types.ts'
import { usersCommand } from './commands/users.ts'
import { webhooksCommand } from './commands/webhooks.ts'
import type { Io } from './io.ts'
import { printable } from './printable.ts'
import { painter } from './style.ts'

const USAGE_EXIT = 2

/**
 * Runs the command line.
 *
 * @param argv the arguments after the program's name
 * @returns the exit code: 0 fine, 1 the task failed, 2 wrong usage or configuration
 */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const program = await buildProgram(io)
  try {
    const code = await codeOf(program.parseAsync([...argv], { from: 'user' }))
    await io.stdout.written?.()
    return code
  } catch (error) {
    return report(error, io, argv.includes('--debug'))
  }
}

/** What commander ends with: by itself when it has shown help, or complained of the usage. */
async function codeOf(run: Promise<unknown>): Promise<number> {
  try {
    await run
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_EXIT
    throw error
  }
}

/** Every command there is, none of which does anything yet. */
export async function buildProgram(io: Io): Promise<Command> {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
  const program = new Command('admin')
    .description('A local admin backend: a folder of models and views becomes an authenticated HTTP API.')
    .version(version)
    .option('--debug', 'show the stack of an error, and log every request and how each list is found')
    .showHelpAfterError('(add --help for usage)')
    .addHelpText('after', '\nExample:\n  $ admin init shop && admin serve --project shop\n')
  const commands = [
    serveCommand(io),
    initCommand(io),
    tokenCommand(io),
    usersCommand(io),
    webhooksCommand(io),
    searchCommand(io),
    exportCommand(io),
    importCommand(io),
    mockCommand(io),
    lintCommand(io),
    generateCommand(io),
    openapiCommand(io),
    typesCommand(io),
    resetCommand(io),
    snapshotCommand(io),
    compactCommand(io),
    doctorCommand(io),
    completionCommand(io),
  ]
  for (const command of commands) program.addCommand(command)
  program.addCommand(completeCommand(io), { hidden: true })
  for (const command of everyCommand(program)) {
    command.exitOverride().configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
  }
  return program
}

const everyCommand = (command: Command): Command[] => [command, ...command.commands.flatMap(everyCommand)]

function report(error: unknown, io: Io, debug: boolean): number {
  const paint = painter(io.stderr, io.env)
  const lines =
    error instanceof AppError
      ? messageLines(error)
      : `Unexpected error: ${error instanceof Error ? error.message : error}`.split('\n')
  for (const line of lines) io.stderr.write(`${paint('red', 'error')} ${printable(line)}\n`)
  if (debug && error instanceof Error) io.stderr.write(`${error.stack}\n`)
  else if (!(error instanceof AppError)) io.stderr.write('Run it again as `admin --debug …` to see where it happened.\n')
  return error instanceof AppError ? error.exitCode : 1
}

function messageLines({ details }: AppError): string[] {
  return typeof details === 'string' ? details.split('\n') : Object.values(details).flat()
}
