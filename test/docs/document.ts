import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { runCli } from '../helpers/cli.ts'
import { typeCheck } from '../helpers/type-check.ts'
import { assertShown, shownText } from './compare.ts'
import { type Block, blocksOf } from './markdown.ts'
import { openShell, programOf, type Ran, type Shell } from './shell.ts'

const DOCS = join(import.meta.dirname, '../../docs')

/** Commands that run until they are stopped; a reader gives each a terminal of its own. */
const RUNS_ON = /^(?:\w+=(?:\$\([^)]*\)|\S*) )*(?:npx )?(?:admin (?:serve|webhooks listen)|node receiver)\b/

const TYPED = /\.m?tsx?$/
const OF_PROJECT = /^(?:models|views|seed)\/|^admin\.config/

export const readDocument = (name: string): string => readFileSync(join(DOCS, name), 'utf8')

/**
 * Runs a document from top to bottom, as a reader would, in one folder and one shell.
 *
 * - `sh` is run and must succeed, or end with N where it says `# exits N`; a request is answered with 2xx, or with N behind `# N`.
 *   What runs until it is stopped goes on in the background: until the next of its kind, or `# with the server stopped`.
 * - `text` and `json` are what the block before printed; `text` behind `$ command` what that command, which still runs, has said.
 * - Any other block begins with the name of its file, in a comment, and is written there; if it is one of a project, `admin lint`
 *   finds nothing then, unless the next block is one that is run. All files in TypeScript compile together in the end.
 *
 * A block that is none of these is an error.
 *
 * @param more tests that want what is there in the end
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
        if (block.language === 'sh') last = await runShell(shell, block, next)
        else if (block.file !== undefined) {
          await shell.write(block.file, block.code)
          if (TYPED.test(block.file)) typed.add(block.file)
          if (next?.language !== 'sh' && OF_PROJECT.test(block.file)) await assertLints(shell)
        } else if (block.language === 'text' && block.code.startsWith('$ ')) {
          const [command = '', ...said] = block.code.slice(2).split('\n')
          await shell.said(programOf(command), shownText(said.join('\n')))
        } else {
          assert.ok(
            last !== undefined,
            `a block of '${block.language}' that nothing runs: it has no file name and stands behind no output`,
          )
          showsOutput(block, last)
          last = undefined
        }
      })
    }

    const nothing = blocks.every(({ file }) => !TYPED.test(file ?? '')) && 'it shows no TypeScript'
    test('compiles', { skip: nothing }, async () => {
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
    // What it says has been seen; there may be more to come.
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
  else assert.fail(`a block of '${language}' is neither run nor written to a file nor output`)
}

/** Of a model that a document shows without views, lint says only that. */
async function assertLints({ folder }: Shell): Promise<void> {
  const { stdout, stderr } = await runCli(['lint', '--format', 'json'], { cwd: folder })
  assert.equal(stderr, '')
  const { findings } = JSON.parse(stdout) as { findings: { rule: string }[] }
  assert.deepEqual(
    findings.filter(({ rule }) => rule !== 'view/no-form' && rule !== 'view/no-list'),
    [],
  )
}
