import type { Command } from 'commander'
import { ownFile } from '../util/files.ts'

/** Written by `npm run build`: the tree of all commands. */
export const COMMAND_TREE_FILE = ownFile('dist/command-tree.json')

/** What completion and the help of the program need of a command. Stored as JSON, it is read without loading the commands' modules. */
export interface CommandTree {
  readonly name: string
  /** Its name and arguments, as the help of the program lists it. */
  readonly term: string
  readonly description: string
  readonly options: readonly {
    readonly names: readonly string[]
    readonly long: string | undefined
    readonly description: string
    readonly takes: 'nothing' | 'one' | 'many'
    readonly choices: readonly string[]
  }[]
  readonly arguments: readonly { readonly name: string; readonly isMany: boolean; readonly choices: readonly string[] }[]
  readonly commands: readonly CommandTree[]
}

/** Converts a commander command and its visible subcommands. */
export function commandTree(command: Command): CommandTree {
  const help = command.createHelp()
  // Includes `help`, for which commander creates a new object at each call: it is not in `command.commands`, so it is left out.
  const visible = new Set(help.visibleCommands(command))
  return {
    name: command.name(),
    term: help.subcommandTerm(command),
    description: command.description(),
    options: help.visibleOptions(command).map(({ long, short, required, optional, variadic, description, argChoices = [] }) => ({
      names: [long, short].filter((name) => name != null),
      long: long ?? undefined,
      description,
      takes: required || optional ? (variadic ? 'many' : 'one') : 'nothing',
      choices: argChoices,
    })),
    arguments: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      isMany: argument.variadic,
      choices: argument.argChoices ?? [],
    })),
    commands: command.commands.filter((each) => visible.has(each)).map(commandTree),
  }
}
