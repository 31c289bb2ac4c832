import { Argument, Command } from 'commander'
import { examineProject } from '../../service/project.ts'
import { candidates } from '../candidates.ts'
import { COMPLETION_SCRIPTS, INSTALLING, SHELLS, type Shell } from '../completion-scripts.ts'
import type { Io } from '../io.ts'
import { printable } from '../printable.ts'
import { sourceOf } from '../project-options.ts'

const HELP = `
To have it in every shell from now on:
  bash   ${INSTALLING.bash}
  zsh    ${INSTALLING.zsh}
  fish   ${INSTALLING.fish}

Completes commands, options, what options may be, and the models of the project; it is this very program that is asked for them, by
its name \`admin\`, which has to be on the PATH.

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

/** `admin complete`: what such a script asks; a candidate a line, its description behind a tab. */
export function completeCommand(io: Io): Command {
  return new Command('complete')
    .description('print what the last word may be completed to')
    .argument('[words...]', 'what stands behind the name of the program')
    .action(async (words: string[], _: unknown, command: Command) => {
      const program = command.parent ?? command
      const found = await candidates(program, words, (project) => modelsOf(io, project))
      for (const { text, description } of found) io.stdout.write(`${text}\t${printable(description)}\n`)
    })
}

/** The models of a project, faulty or not; none where there is no project. */
async function modelsOf(io: Io, project: string): Promise<readonly string[]> {
  try {
    const { project: found } = await examineProject(sourceOf(io, { project }, {}))
    return found.registry.public.map(({ key }) => key)
  } catch {
    return []
  }
}
