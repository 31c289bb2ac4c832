import type { Command } from 'commander'

/** The part of a command that completion needs. Stored as JSON, it is read without loading the commands and their modules. */
export interface CommandTree {
  readonly name: string
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
