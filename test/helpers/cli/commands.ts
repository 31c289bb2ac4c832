import type { Command } from 'commander'
import { processIo } from '../../../src/cli/io.ts'
import { buildProgram } from '../../../src/cli/main.ts'

const silent = { write: () => {} }
const io = { ...processIo(), stdout: silent, stderr: silent }

const named = (command: Command, path: readonly string[] = []): [path: readonly string[], command: Command][] =>
  command.commands.flatMap((each) => {
    const own = [...path, each.name()]
    return [[own, each] as [readonly string[], Command], ...named(each, own)]
  })

/** The words of every visible command, including groups of commands. */
export async function commandPaths(): Promise<(readonly string[])[]> {
  return named(await buildProgram(io)).flatMap(([path]) => (path[0] === 'complete' ? [] : [path]))
}

/** Parses arguments without running a command. @throws for wrong usage */
export async function parseCommand(argv: readonly string[]): Promise<void> {
  const program = await buildProgram(io)
  for (const [, command] of named(program)) command.action(() => {})
  await program.parseAsync([...argv], { from: 'user' })
}

/** The calls of `admin` in a shell line, each as its arguments. */
export const runsIn = (line: string): string[][] =>
  [...line.matchAll(/(?:^|[\s(])admin ((?:'[^']*'|[^\s|&;<>)]+)(?: (?:'[^']*'|[^\s|&;<>)#]+))*)?/g)].map(([, words = '']) =>
    words.split(' ').filter((word) => word !== ''),
  )
