import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { parse } from 'yaml'
import { SCAFFOLD } from '../../src/cli/commands/init.ts'
import { readDocument } from '../docs/document.ts'
import { blocksOf } from '../docs/markdown.ts'
import { ADMIN_BIN } from '../helpers/cli/process.ts'
import { makeProject, type TemporaryFolder } from '../helpers/fixture.ts'

describe('the CI workflow of docs/lint.md', () => {
  let folder: TemporaryFolder

  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: folder.path })
  const shell = (command: string) => spawnSync('sh', ['-c', command], { cwd: folder.path, encoding: 'utf8' })

  before(async () => {
    folder = await makeProject(SCAFFOLD)
    mkdirSync(join(folder.path, 'node_modules/.bin'))
    symlinkSync(ADMIN_BIN, join(folder.path, 'node_modules/.bin/admin'))
    writeFileSync(join(folder.path, '.gitignore'), 'node_modules\n')
    git('init', '--quiet', '--initial-branch=main')
    git('add', '.')
    git('commit', '--quiet', '--no-verify', '--message', 'first')
    git('update-ref', 'refs/remotes/origin/main', 'HEAD')
  })
  after(() => folder.remove())

  test('passes for a new project, and fails with annotations for a broken one', () => {
    const block = blocksOf(readDocument('lint.md')).find(({ file }) => file === '.github/workflows/lint.yml')
    const workflow = parse(block?.code ?? '') as { jobs: { lint: { steps: { run?: string }[] } } }
    const steps = workflow.jobs.lint.steps.flatMap(({ run = '' }) => (run.startsWith('npx --no-install admin') ? [run] : []))
    assert.equal(steps.length, 2)
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of GitHub Actions.
    const commands = steps.map((run) => run.replace('${{ github.base_ref }}', 'main'))
    for (const command of commands) {
      const { status, stdout } = shell(command)
      assert.deepEqual([status, stdout], [0, ''], command)
    }
    const view = join(folder.path, 'views/article.yaml')
    writeFileSync(view, readFileSync(view, 'utf8').replace('name: title,', 'name: titel,'))
    for (const command of commands) {
      const { status, stdout } = shell(command)
      assert.equal(status, 1, command)
      assert.match(stdout, /^::error file=views\/article\.yaml,line=7,endLine=7,col=15,endColumn=20,title=view\/unknown-field::/m)
    }
  })
})

describe('a project file that ends the process is an error', () => {
  const rows: Readonly<Record<string, { files: Readonly<Record<string, string>>; file: string }>> = {
    'by process.exit': { files: { 'models/a.ts': 'process.exit(0)\n' }, file: 'models/a.ts' },
    'by a top-level await that never resolves': {
      files: { 'package.json': '{"type": "module"}', 'models/a.js': 'await new Promise(() => {})\nexport default {}\n' },
      file: 'models/a.js',
    },
  }
  for (const [name, { files, file }] of Object.entries(rows)) {
    test(name, async () => {
      await using folder = await makeProject(files)
      for (const argv of [['lint'], ['serve', '--port', '0']]) {
        const { status, stderr } = spawnSync(process.execPath, [ADMIN_BIN, ...argv], { cwd: folder.path, encoding: 'utf8' })
        assert.match(stderr, new RegExp(`^error ${file} ended the process while it was loaded: it calls process\\.exit, or `))
        assert.equal(status, 2)
      }
    })
  }
})
