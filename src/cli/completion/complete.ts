import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { ownFile } from '../../util/package-files.ts'
import { printable } from '../../util/printable.ts'
import type { Io } from '../terminal/io.ts'
import { candidates } from './candidates.ts'
import type { CommandTree } from './command-tree.ts'
import { modelNamesIn } from './model-names.ts'

/** Written by `npm run build`: the tree of all commands. */
export const COMMAND_TREE_FILE = ownFile('dist/command-tree.json')

/** Prints the candidates for the last word, one per line: the candidate, a tab, its description. */
export async function complete(program: CommandTree, words: readonly string[], io: Io): Promise<void> {
  const found = await candidates(program, words, (project) => modelNamesIn(resolve(io.cwd, project)))
  for (const { text, description } of found) io.stdout.write(`${text}\t${printable(description)}\n`)
}

/**
 * Runs `admin complete` without loading the commands, since a shell runs it at every press of the Tab key.
 *
 * @param argv `complete -- WORD…`
 * @returns the exit code, always 0
 */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const program = JSON.parse(await readFile(COMMAND_TREE_FILE, 'utf8')) as CommandTree
  await complete(program, argv.slice(argv[1] === '--' ? 2 : 1), io)
  return 0
}
