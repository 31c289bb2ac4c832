import type { Command } from 'commander'

/** What completion has to know of a command. As data, it is there without loading what the commands need. */
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

/** A command of commander's with all below it, but for those that are hidden. */
export function commandTree(command: Command): CommandTree {
  const help = command.createHelp()
  // Among them `help`, which commander makes anew for each question.
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
