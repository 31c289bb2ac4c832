import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { runCli } from '../helpers/cli/cli.ts'
import { typeCheck } from '../helpers/types/type-check.ts'
import { assertShown, shownText } from './compare.ts'
import { type Block, blocksOf } from './markdown.ts'
import { openShell, programOf, type Ran, type Shell } from './shell.ts'

const DOCS = join(import.meta.dirname, '../../docs')

/** Commands that run until they are stopped. A reader runs each in a separate terminal. */
const RUNS_ON = /^(?:\w+=(?:\$\([^)]*\)|\S*) )*(?:npx )?(?:admin (?:serve|events|webhooks listen)|node receiver)\b/

const TYPED = /\.m?tsx?$/
const OF_PROJECT = /^(?:models|views|roles|seed|hooks)\/|^admin\.config/

export const readDocument = (name: string): string => readFileSync(join(DOCS, name), 'utf8')

/**
 * Runs the blocks of a documentation page from top to bottom, as a reader would, in one folder and one shell.
 *
 * - `sh` is executed and must exit with 0, or with N if it has a comment `# exits N`. A request must get a 2xx status, or N if `# N`
 *   follows it. A command that does not end continues in the background until the same command is started again, or until a block
 *   begins with `# with the server stopped`.
 * - `text` and `json` are the output of the block before. A `text` block that begins with `$ command` is the output so far of that
 *   command, which still runs.
 * - Any other block starts with the name of its file in a comment, and is written to that file. After a project file, `admin lint` must
 *   have no findings, unless the next block is `sh`. At the end, all TypeScript files are compiled together, with
 *   those of `admin types`.
 *
 * A block of any other kind is an error.
 *
 * @param more adds tests that run after the blocks, with the shell as the page leaves it
 */
export function runDocument(name: string, more?: (shell: () => Shell) => void): void {
  describe(name, () => {
    let shell: Shell
    let last: Ran | undefined
    const blocks = blocksOf(readDocument(name))
    const typed = new Set<string>()
    before(async () => {
      shell = await openShell()
    })
    after(() => shell.close())

    for (const [at, block] of blocks.entries()) {
      const next = blocks[at + 1]
      test(`line ${block.line}: ${block.code.split('\n')[0]}`, { timeout: 120_000 }, async () => {
        if (block.language === 'sh') {
          last = await runShell(shell, block, next)
          for (const [, made = ''] of block.code.matchAll(/admin types .*?-o (\S+)/g)) typed.add(made)
        } else if (block.file !== undefined) {
          await shell.write(block.file, block.code)
          if (TYPED.test(block.file)) typed.add(block.file)
          if (next?.language !== 'sh' && OF_PROJECT.test(block.file)) await assertLints(shell)
        } else if (block.language === 'text' && block.code.startsWith('$ ')) {
          const [command = '', ...said] = block.code.slice(2).split('\n')
          await shell.said(programOf(command), shownText(said.join('\n')))
        } else {
          assert.ok(last !== undefined, `a block of '${block.language}' without a file name follows no output`)
          showsOutput(block, last)
          last = undefined
        }
      })
    }

    const skip = blocks.every(({ file }) => !TYPED.test(file ?? '')) && 'the page has no TypeScript'
    test('the TypeScript files compile', { skip }, async () => {
      const files: Record<string, string> = {}
      for (const file of typed) files[file] = await readFile(join(shell.folder, file), 'utf8')
      for (const code of Object.values(files)) {
        for (const [, imported = ''] of code.matchAll(/from '\.\/([\w-]+\.ts)'/g)) {
          files[imported] ??= await readFile(join(shell.folder, imported), 'utf8')
        }
      }
      assert.equal(await typeCheck(files), '')
    })
    more?.(() => shell)
  })
}

async function runShell(shell: Shell, { code }: Block, next: Block | undefined): Promise<Ran | undefined> {
  const command = code.replace(/\s*#.*$/gm, '').trim()
  const [, exit] = /# exits (\d+)/.exec(code) ?? []
  if (RUNS_ON.test(command) && !command.includes('\n') && exit === undefined) {
    await shell.start(command, next?.language === 'text' ? shownText(next.code) : /\n/)
    // `start` has compared the output so far; the command may print more.
    return next?.language === 'text' ? { code: 0, output: next.code, statuses: [] } : undefined
  }
  if (code.startsWith('# with the server stopped')) await shell.stop()
  const ran = await shell.run(code, { stdoutOnly: next?.language === 'json' && next.file === undefined })
  assert.equal(ran.code, Number(exit ?? 0), ran.output)
  const requests = code
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => /(?:^|[\s(])curl /.test(line) && !line.startsWith('#'))
  const expected = requests.map((line) => /# (\d{3})$/.exec(line)?.[1] ?? '2xx')
  assert.deepEqual(
    ran.statuses.map((status, at) => (expected[at] === '2xx' && status >= 200 && status < 300 ? '2xx' : String(status))),
    expected,
    ran.output,
  )
  return ran
}

function showsOutput({ language, code }: Block, { output }: Ran): void {
  if (language === 'text') assert.match(`${output.trimEnd()}\n`, shownText(code))
  else if (language === 'json') assertShown(JSON.parse(output), JSON.parse(code))
  else assert.fail(`a block of '${language}' is not a command, a file or an output`)
}

/** Asserts that `admin lint` has no findings but missing views, since a page may show a model without views. */
async function assertLints({ folder }: Shell): Promise<void> {
  const { stdout, stderr } = await runCli(['lint', '--format', 'json'], { cwd: folder })
  assert.equal(stderr, '')
  const { findings } = JSON.parse(stdout) as { findings: { rule: string }[] }
  assert.deepEqual(
    findings.filter(({ rule }) => rule !== 'view/no-form' && rule !== 'view/no-list'),
    [],
  )
}
