import type { CommandTree } from './command-tree.ts'

/** A completion of a word on the command line. */
export interface Candidate {
  readonly text: string
  readonly description: string
}

type Option = CommandTree['options'][number]
type Argument = CommandTree['arguments'][number]

/** The context of the word to be completed. */
interface CompletionContext {
  readonly command: CommandTree
  /** Number of the command's arguments before the word. */
  readonly arguments: number
  /** The option whose value the word is; undefined when it is none. */
  readonly option: Option | undefined
}

/**
 * Returns the candidates for the last word: commands, options, choices of an option or argument, or
 * models for an argument with the name `model` or `models`. Empty for a file name or free text.
 *
 * @param words the words after the name of the program; the last may be empty
 * @param models returns the model names of the project in a folder
 */
export async function candidates(
  program: CommandTree,
  words: readonly string[],
  models: (project: string) => Promise<readonly string[]>,
): Promise<Candidate[]> {
  const last = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const found = await candidatesIn(contextAfter(program, before), last, () => models(projectIn(before)))
  return found.filter(({ text }) => text.startsWith(last))
}

function contextAfter(program: CommandTree, words: readonly string[]): CompletionContext {
  let context: CompletionContext = { command: program, arguments: 0, option: undefined }
  for (const word of words) {
    const { command, option } = context
    if (word.startsWith('-')) {
      const named = command.options.find(({ names }) => names.includes(word))
      context = { ...context, option: named?.takes === 'nothing' ? undefined : named }
    } else if (option !== undefined) context = { ...context, option: option.takes === 'many' ? option : undefined }
    else {
      const next = command.commands.find(({ name }) => name === word)
      context =
        next === undefined ? { ...context, arguments: context.arguments + 1 } : { command: next, arguments: 0, option: undefined }
    }
  }
  return context
}

async function candidatesIn(
  { command, arguments: count, option }: CompletionContext,
  last: string,
  models: () => Promise<readonly string[]>,
): Promise<Candidate[]> {
  if (last.startsWith('-'))
    return command.options.flatMap(({ long, description }) => (long === undefined ? [] : [{ text: long, description }]))
  if (option !== undefined) return option.choices.map((text) => ({ text, description: '' }))
  if (command.commands.length > 0) return command.commands.map(({ name, description }) => ({ text: name, description }))
  const argument = argumentAt(command.arguments, count)
  const names = argument !== undefined && /^models?$/.test(argument.name) ? await models() : (argument?.choices ?? [])
  return names.map((text) => ({ text, description: '' }))
}

/** The argument at an index; a variadic last argument takes all further words. */
function argumentAt(all: readonly Argument[], index: number): Argument | undefined {
  const last = all.at(-1)
  return all[index] ?? (last?.isMany === true ? last : undefined)
}

/** The value of `--project` among the words; the current folder without one. */
function projectIn(words: readonly string[]): string {
  const at = words.lastIndexOf('--project')
  return at < 0 ? '.' : (words[at + 1] ?? '.')
}
