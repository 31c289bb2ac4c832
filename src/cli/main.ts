import { readFile } from 'node:fs/promises'
import { Command, CommanderError } from 'commander'
import { AppError } from '../errors.ts'
import { VERSION } from '../util/files.ts'
import { printable } from '../util/text.ts'
import { COMMAND_TREE_FILE, type CommandTree } from './command-tree.ts'
import type { Io } from './io.ts'
import { painter } from './style.ts'

const USAGE_EXIT = 2

/** Creates each command. Only the modules of the requested command are loaded: loading all of them takes longer than most commands run. */
const COMMANDS: Readonly<Record<string, (io: Io) => Promise<Command>>> = {
  serve: async (io) => (await import('./commands/serve.ts')).serveCommand(io),
  init: async (io) => (await import('./commands/init.ts')).initCommand(io),
  token: async (io) => (await import('./commands/token.ts')).tokenCommand(io),
  users: async (io) => (await import('./commands/users.ts')).usersCommand(io),
  keys: async (io) => (await import('./commands/keys.ts')).keysCommand(io),
  webhooks: async (io) => (await import('./commands/webhooks.ts')).webhooksCommand(io),
  jobs: async (io) => (await import('./commands/jobs.ts')).jobsCommand(io),
  run: async (io) => (await import('./commands/run.ts')).runCommand(io),
  mcp: async (io) => (await import('./commands/mcp.ts')).mcpCommand(io),
  mail: async (io) => (await import('./commands/mail.ts')).mailCommand(io),
  search: async (io) => (await import('./commands/search.ts')).searchCommand(io),
  history: async (io) => (await import('./commands/history.ts')).historyCommand(io),
  action: async (io) => (await import('./commands/action.ts')).actionCommand(io),
  restore: async (io) => (await import('./commands/restore.ts')).restoreCommand(io),
  events: async (io) => (await import('./commands/events.ts')).eventsCommand(io),
  export: async (io) => (await import('./commands/export.ts')).exportCommand(io),
  import: async (io) => (await import('./commands/import.ts')).importCommand(io),
  upload: async (io) => (await import('./commands/upload.ts')).uploadCommand(io),
  files: async (io) => (await import('./commands/files.ts')).filesCommand(io),
  download: async (io) => (await import('./commands/download.ts')).downloadCommand(io),
  mock: async (io) => (await import('./commands/mock.ts')).mockCommand(io),
  recompute: async (io) => (await import('./commands/recompute.ts')).recomputeCommand(io),
  lint: async (io) => (await import('./commands/lint.ts')).lintCommand(io),
  generate: async (io) => (await import('./commands/generate.ts')).generateCommand(io),
  openapi: async (io) => (await import('./commands/openapi.ts')).openapiCommand(io),
  types: async (io) => (await import('./commands/types.ts')).typesCommand(io),
  reset: async (io) => (await import('./commands/reset.ts')).resetCommand(io),
  snapshot: async (io) => (await import('./commands/snapshot.ts')).snapshotCommand(io),
  compact: async (io) => (await import('./commands/compact.ts')).compactCommand(io),
  migrate: async (io) => (await import('./commands/migrate.ts')).migrateCommand(io),
  doctor: async (io) => (await import('./commands/doctor.ts')).doctorCommand(io),
  completion: async (io) => (await import('./commands/completion.ts')).completionCommand(io),
  complete: async (io) => (await import('./commands/completion.ts')).completeCommand(io),
}

/**
 * Runs the command line.
 *
 * @param argv the arguments after the program's name
 * @returns the exit code: 0 success, 1 the task failed, 2 wrong usage or configuration
 */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const names = namesIn(argv)
  const program = names === undefined ? await listedProgram(io) : await buildProgram(io, names)
  try {
    const code = await codeOf(program.parseAsync([...argv], { from: 'user' }))
    await io.stdout.written?.()
    return code
  } catch (error) {
    return report(error, io, argv.includes('--debug'))
  }
}

/**
 * Names of the commands to create: the one that the arguments name, none for `--version`. Undefined for help and for an unknown name,
 * whose message suggests a known one.
 */
function namesIn(argv: readonly string[]): readonly string[] | undefined {
  if (argv[0] === '--version' || argv[0] === '-V') return []
  // The options of the program have no values, so the first other word is a command.
  const [name = '', second = ''] = argv.filter((word) => !word.startsWith('-'))
  // `complete` without the file that the build writes walks the tree of all commands.
  if (name === 'complete') return Object.keys(COMMANDS)
  const word = name === 'help' ? second : name
  return Object.hasOwn(COMMANDS, word) ? [word] : undefined
}

/** The program with commands that can be listed and suggested, and not run: by the tree that the build writes, if there is one. */
async function listedProgram(io: Io): Promise<Command> {
  const text = await readFile(COMMAND_TREE_FILE, 'utf8').catch(() => undefined)
  if (text === undefined) return buildProgram(io)
  const { commands } = JSON.parse(text) as CommandTree
  const program = programOf(
    commands.map(({ name, description }) => new Command(name).description(description)),
    io,
  )
  const terms = new Map(commands.map(({ name, term }) => [name, term]))
  const { subcommandTerm } = program.createHelp()
  return program.configureHelp({ subcommandTerm: (command) => terms.get(command.name()) ?? subcommandTerm(command) })
}

/** The exit code of a run. Commander throws after it has printed help (0) or a usage error. */
async function codeOf(run: Promise<unknown>): Promise<number> {
  try {
    await run
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_EXIT
    throw error
  }
}

/**
 * Builds the program without running a command.
 *
 * @param names the commands to load; all of them by default
 */
export async function buildProgram(io: Io, names: readonly string[] = Object.keys(COMMANDS)): Promise<Command> {
  const commands: Command[] = []
  for (const name of names) {
    const command = await COMMANDS[name]?.(io)
    if (command !== undefined) commands.push(command)
  }
  return programOf(commands, io)
}

function programOf(commands: readonly Command[], io: Io): Command {
  const program = new Command('admin')
    .description('A local admin backend: a folder of models and views becomes an authenticated HTTP API.')
    .version(VERSION)
    .option('--debug', 'print the stack of an error; log every request and the query plan of each list')
    .showHelpAfterError('(add --help for usage)')
    .addHelpText('after', '\nExample:\n  $ admin init shop && admin serve --project shop\n')
  for (const command of commands) program.addCommand(command, { hidden: command.name() === 'complete' })
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
  if (debug && error instanceof Error) io.stderr.write(`${(error.stack ?? '').split('\n').map(printable).join('\n')}\n`)
  else if (!(error instanceof AppError)) io.stderr.write('Run it again as `admin --debug …` for the stack.\n')
  return error instanceof AppError ? error.exitCode : 1
}

function messageLines({ details }: AppError): string[] {
  return typeof details === 'string' ? details.split('\n') : Object.values(details).flat()
}
