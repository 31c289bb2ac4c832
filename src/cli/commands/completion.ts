import { Argument, Command } from 'commander'
import { commandTree } from '../command-tree.ts'
import { printCandidates } from '../complete.ts'
import type { Io } from '../io.ts'

/** Shells with a completion script. */
const SHELLS = ['bash', 'zsh', 'fish'] as const

/** The name of a supported shell. */
type Shell = (typeof SHELLS)[number]

/** The command that installs the completion permanently, by shell. */
const INSTALLING: Readonly<Record<Shell, string>> = {
  bash: `echo 'source <(admin completion bash)' >> ~/.bashrc`,
  zsh: `echo 'source <(admin completion zsh)' >> ~/.zshrc   # after compinit`,
  fish: 'admin completion fish > ~/.config/fish/completions/admin.fish',
}

/**
 * The completion script of each shell. It passes the words up to the cursor to `<program> complete`, which prints one candidate a
 * line: text, tab, description. `<program>` is the name or path on the command line, so candidates match the version in use. The
 * zsh script works both sourced and as an autoloaded function. Without candidates, the shell completes file names. Candidates are never executed: bash inserts words unquoted, so its
 * script quotes them; zsh and fish quote by themselves.
 */
const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `_admin_complete() {
  local candidate
  COMPREPLY=()
  while IFS= read -r candidate; do
    printf -v candidate %q "\${candidate%%$'\\t'*}"
    COMPREPLY+=("$candidate")
  done < <("$1" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _admin_complete admin
`,
  zsh: `#compdef admin
_admin() {
  local -a found shown
  local line
  found=("\${(@f)$("\${words[1]}" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $found; do
    [[ -n $line ]] && shown+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( \${#shown} )); then _describe 'admin' shown; else _files; fi
}
if [[ \${funcstack[1]} == _admin ]]; then _admin "$@"; else compdef _admin admin; fi
`,
  fish: `function __admin_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l found ($words[1] complete -- $words[2..-1] "$current" 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path "$current"
  end
end
complete -c admin -f -a '(__admin_complete)'
`,
}

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

/** `admin complete` (hidden): prints candidates for a completion script. The built program runs `cli/complete.ts` instead. */
export function completeCommand(io: Io): Command {
  return new Command('complete')
    .description('print the completions of the last word')
    .argument('[words...]', 'the words after the name of the program')
    .action((words: string[], _: unknown, command: Command) => printCandidates(commandTree(command.parent ?? command), words, io))
}
