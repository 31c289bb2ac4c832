import type { Command } from 'commander'
import { buildProgram } from '../../src/cli/main.ts'
import { processIo } from '../../src/cli/terminal/io.ts'

const silent = { write: () => {} }
const io = { ...processIo(), stdout: silent, stderr: silent }

const named = (command: Command, path: readonly string[] = []): [path: readonly string[], command: Command][] =>
  command.commands.flatMap((each) => {
    const own = [...path, each.name()]
    return [[own, each] as [readonly string[], Command], ...named(each, own)]
  })

/** The words of every command that people are told of, groups of commands included. */
export async function commandPaths(): Promise<(readonly string[])[]> {
  return named(await buildProgram(io)).flatMap(([path]) => (path[0] === 'complete' ? [] : [path]))
}

/** Parses the arguments of a program that does nothing; rejects what it would not take. */
export async function parseCommand(argv: readonly string[]): Promise<void> {
  const program = await buildProgram(io)
  for (const [, command] of named(program)) command.action(() => {})
  await program.parseAsync([...argv], { from: 'user' })
}

/** Runs of `admin` in a line of a shell: what stands between it and what ends a command. */
export const runsIn = (line: string): string[][] =>
  [...line.matchAll(/(?:^|[\s(])admin ((?:'[^']*'|[^\s|&;<>)]+)(?: (?:'[^']*'|[^\s|&;<>)#]+))*)?/g)].map(([, words = '']) =>
    words.split(' ').filter((word) => word !== ''),
  )
