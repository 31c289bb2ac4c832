import { Argument, Command } from 'commander'
import { commandTree } from '../completion/command-tree.ts'
import { complete } from '../completion/complete.ts'
import { COMPLETION_SCRIPTS, INSTALLING, SHELLS, type Shell } from '../completion/completion-scripts.ts'
import type { Io } from '../terminal/io.ts'

const HELP = `
To install it for every new shell:
  bash   ${INSTALLING.bash}
  zsh    ${INSTALLING.zsh}
  fish   ${INSTALLING.fish}

Completes commands, options, their values, and the models of the project. Model names are read from the text of the project's files;
no file is executed. The script calls \`admin\`, which must be on the PATH.

Example:
  $ source <(admin completion bash)
`

/** `admin completion`: prints the completion script of a shell. */
export function completionCommand(io: Io): Command {
  return new Command('completion')
    .description('print a script that completes commands in a shell')
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .addHelpText('after', HELP)
    .action((shell: Shell) => {
      io.stdout.write(COMPLETION_SCRIPTS[shell])
    })
}

/** `admin complete` (hidden): prints candidates for a completion script. The built program runs `completion/complete.ts` instead. */
export function completeCommand(io: Io): Command {
  return new Command('complete')
    .description('print the completions of the last word')
    .argument('[words...]', 'the words after the name of the program')
    .action((words: string[], _: unknown, command: Command) => complete(commandTree(command.parent ?? command), words, io))
}
