import { readdir, readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { printable } from '../util/text.ts'
import { COMMAND_TREE_FILE, type CommandTree } from './command-tree.ts'
import type { Io } from './io.ts'

/** Prints the candidates for the last word, one per line: the candidate, a tab, its description. */
export async function printCandidates(program: CommandTree, words: readonly string[], io: Io): Promise<void> {
  const found = await candidates(program, words, (kind, project) => NAMES[kind](resolve(io.cwd, project)))
  for (const { text, description } of found) io.stdout.write(`${text}\t${printable(description)}\n`)
}

/**
 * Runs `admin complete` without loading the commands, since a shell runs it at every press of the Tab key.
 *
 * @param argv `complete -- WORD…`
 * @returns the exit code, always 0
 */
export async function runCompletion(argv: readonly string[], io: Io): Promise<number> {
  const program = JSON.parse(await readFile(COMMAND_TREE_FILE, 'utf8')) as CommandTree
  await printCandidates(program, argv.slice(argv[1] === '--' ? 2 : 1), io)
  return 0
}

/** A completion of a word on the command line. */
interface Candidate {
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
  /** The option whose value the word is; undefined for another word. */
  readonly option: Option | undefined
}

/**
 * Returns the candidates for the last word: commands, options, choices of an option or argument, or
 * models for an argument with the name `model` or `models`, actions for `action`. Empty for a file name or free text.
 *
 * @param words the words after the name of the program; the last may be empty
 * @param names returns the names of models or actions of the project in a folder
 */
async function candidates(
  program: CommandTree,
  words: readonly string[],
  names: (kind: NameKind, project: string) => Promise<readonly string[]>,
): Promise<Candidate[]> {
  const last = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const found = await candidatesIn(contextAfter(program, before), last, (kind) => names(kind, projectIn(before)))
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
  projectNames: (kind: NameKind) => Promise<readonly string[]>,
): Promise<Candidate[]> {
  if (last.startsWith('-'))
    return command.options.flatMap(({ long, description }) => (long === undefined ? [] : [{ text: long, description }]))
  if (option !== undefined) return option.choices.map((text) => ({ text, description: '' }))
  if (command.commands.length > 0) return command.commands.map(({ name, description }) => ({ text: name, description }))
  const argument = argumentAt(command.arguments, count)
  const kind = argument?.name.replace(/s$/, '')
  const names = kind === 'model' || kind === 'action' ? await projectNames(kind) : (argument?.choices ?? [])
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

/** Models that exist in every project. */
const BUILT_IN = ['user', 'group', 'permission', 'savedview']

/** Larger files are skipped: model definitions are written by hand. */
const MAX_BYTES = 1_000_000

/** Matches `name: Post`, `"name": "Post"` and `name: 'Post'`, in YAML, JSON and TypeScript. Field names are not capitalised. */
const NAMED = /\bname["']?\s*:\s*["'`]?([A-Z][A-Za-z0-9]*)(?!\w)/g

/**
 * Returns the model keys of the project in a folder, found in the text of its files; empty without a `models` folder.
 *
 * Completion runs in any folder, so no file is executed or trusted: names consist of letters and digits only.
 */
async function modelNamesIn(folder: string): Promise<readonly string[]> {
  const texts = await textsIn(join(folder, 'models'))
  if (texts.length === 0) return []
  const found = texts.flatMap((text) => [...text.matchAll(NAMED)].map(([, name = '']) => name.toLowerCase()))
  return [...new Set([...found, ...BUILT_IN])].sort()
}

/** Matches `name: publish` where it is not far from the beginning of its line, unlike that of an input. */
const NAMED_ACTION = /^ {0,2}(?:- )?(?:\{ )?(?:model: \w+, )?["']?name["']?\s*:\s*["'`]?([a-z][a-z0-9_]*)/gm

/** Names of the actions of the project in a folder, found as those of models are. */
async function actionNamesIn(folder: string): Promise<readonly string[]> {
  const texts = await textsIn(join(folder, 'actions'))
  return [...new Set(texts.flatMap((text) => [...text.matchAll(NAMED_ACTION)].map(([, name = '']) => name)))].sort()
}

const NAMES = { model: modelNamesIn, action: actionNamesIn } as const

type NameKind = keyof typeof NAMES

/** Texts of the definitions in a folder. */
async function textsIn(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder).catch(() => [])
  return Promise.all(files.filter((name) => /\.(ya?ml|json|ts|js)$/i.test(name)).map((name) => textOf(join(folder, name))))
}

async function textOf(path: string): Promise<string> {
  try {
    const file = await stat(path)
    return file.isFile() && file.size <= MAX_BYTES ? await readFile(path, 'utf8') : ''
  } catch {
    return ''
  }
}
