import { Argument, Command } from 'commander'
import { commandTree } from '../completion/command-tree.ts'
import { complete } from '../completion/complete.ts'
import { COMPLETION_SCRIPTS, INSTALLING, SHELLS, type Shell } from '../completion/completion-scripts.ts'
import type { Io } from '../terminal/io.ts'

const HELP = `
To have it in every shell from now on:
  bash   ${INSTALLING.bash}
  zsh    ${INSTALLING.zsh}
  fish   ${INSTALLING.fish}

Completes commands, options, what options may be, and the models of the project, by their files' text, of which nothing is run. It is
this very program that is asked, by its name \`admin\`, which has to be on the PATH.

Example:
  $ source <(admin completion bash)
`

/** `admin completion`: prints what a shell needs to complete commands. */
export function completionCommand(io: Io): Command {
  return new Command('completion')
    .description('print a script that completes commands in a shell')
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .addHelpText('after', HELP)
    .action((shell: Shell) => {
      io.stdout.write(COMPLETION_SCRIPTS[shell])
    })
}

/** `admin complete`: what such a script asks. The program that was built answers it sooner, by `completeAtOnce`. */
export function completeCommand(io: Io): Command {
  return new Command('complete')
    .description('print what the last word may be completed to')
    .argument('[words...]', 'what stands behind the name of the program')
    .action((words: string[], _: unknown, command: Command) => complete(commandTree(command.parent ?? command), words, io))
}
