import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Io } from '../terminal/io.ts'
import { printable } from '../terminal/printable.ts'
import { candidates } from './candidates.ts'
import type { CommandTree } from './command-tree.ts'
import { modelNamesIn } from './model-names.ts'

/** Where `npm run build` puts the tree of all commands. */
export const COMMAND_TREE_FILE = new URL('command-tree.json', import.meta.url)

/** Prints what the last word may be completed to: a candidate a line, its description behind a tab. */
export async function complete(program: CommandTree, words: readonly string[], io: Io): Promise<void> {
  const found = await candidates(program, words, (project) => modelNamesIn(resolve(io.cwd, project)))
  for (const { text, description } of found) io.stdout.write(`${text}\t${printable(description)}\n`)
}

/** Answers a shell, which asks at the press of a key, without loading the commands. @param argv `complete -- WORD…` */
export async function completeAtOnce(argv: readonly string[], io: Io): Promise<number> {
  const program = JSON.parse(await readFile(COMMAND_TREE_FILE, 'utf8')) as CommandTree
  await complete(program, argv.slice(argv[1] === '--' ? 2 : 1), io)
  return 0
}
