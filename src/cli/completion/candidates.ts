import type { CommandTree } from './command-tree.ts'

/** What a word on the command line may be completed to, and what that is. */
export interface Candidate {
  readonly text: string
  readonly description: string
}

type Option = CommandTree['options'][number]
type Argument = CommandTree['arguments'][number]

/** Where completion stands: what the last word, which is yet to be completed, may be. */
interface Place {
  readonly command: CommandTree
  /** How many arguments of the command stand before it. */
  readonly arguments: number
  /** The option whose value it is. */
  readonly option: Option | undefined
}

/**
 * What the last of some words may be completed to: commands, options, their choices, models. Nothing where it is a file, or anything.
 *
 * @param words what stands behind the name of the program; the last may be empty
 * @param models gives the names of the models of the project in a folder
 */
export async function candidates(
  program: CommandTree,
  words: readonly string[],
  models: (project: string) => Promise<readonly string[]>,
): Promise<Candidate[]> {
  const last = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const found = await possible(placeAfter(program, before), last, () => models(projectIn(before)))
  return found.filter(({ text }) => text.startsWith(last))
}

function placeAfter(program: CommandTree, words: readonly string[]): Place {
  let place: Place = { command: program, arguments: 0, option: undefined }
  for (const word of words) {
    const { command, option } = place
    if (word.startsWith('-')) {
      const named = command.options.find(({ names }) => names.includes(word))
      place = { ...place, option: named?.takes === 'nothing' ? undefined : named }
    } else if (option !== undefined) place = { ...place, option: option.takes === 'many' ? option : undefined }
    else {
      const next = command.commands.find(({ name }) => name === word)
      place =
        next === undefined ? { ...place, arguments: place.arguments + 1 } : { command: next, arguments: 0, option: undefined }
    }
  }
  return place
}

async function possible(
  { command, arguments: count, option }: Place,
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

/** The last argument may be many. */
function argumentAt(all: readonly Argument[], index: number): Argument | undefined {
  const last = all.at(-1)
  return all[index] ?? (last?.isMany === true ? last : undefined)
}

/** The folder of the project that the words speak of. */
function projectIn(words: readonly string[]): string {
  const at = words.lastIndexOf('--project')
  return at < 0 ? '.' : (words[at + 1] ?? '.')
}
