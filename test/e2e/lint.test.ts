import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { parse } from 'yaml'
import { SCAFFOLD } from '../../src/cli/scaffold.ts'
import { makeProject, type TemporaryFolder } from '../helpers/fixture.ts'
import { ADMIN_BIN } from '../helpers/process.ts'

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')

/** The block of code in README that begins so. */
const blockOf = (start: string): string =>
  [...readme.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code).find((code) => code.startsWith(start)) ??
  assert.fail(`README has no block that begins with ${start}`)

describe('what README says of lint in CI', () => {
  let folder: TemporaryFolder

  const git = (...args: readonly string[]) =>
    spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: folder.path, encoding: 'utf8' })
  const shell = (command: string) => spawnSync('sh', ['-c', command], { cwd: folder.path, encoding: 'utf8' })
  const breakView = () => {
    const text = readFileSync(join(folder.path, 'shop/views/article.yaml'), 'utf8')
    writeFileSync(join(folder.path, 'shop/views/article.yaml'), text.replace('name: title,', 'name: titel,'))
  }

  beforeEach(async () => {
    folder = await makeProject(Object.fromEntries(Object.entries(SCAFFOLD).map(([file, text]) => [`shop/${file}`, text])))
    mkdirSync(join(folder.path, 'node_modules/.bin'))
    symlinkSync(ADMIN_BIN, join(folder.path, 'node_modules/.bin/admin'))
    writeFileSync(join(folder.path, '.gitignore'), 'node_modules\n')
    execFileSync('git', ['init', '--quiet', '--initial-branch=main'], { cwd: folder.path })
    git('add', '.')
    git('commit', '--quiet', '--no-verify', '--message', 'first')
    git('update-ref', 'refs/remotes/origin/main', 'HEAD')
  })
  afterEach(() => folder.remove())

  test('the steps of the workflow pass for a new project, and fail with annotations for a broken one', () => {
    const workflow = parse(blockOf('name: lint')) as { jobs: { lint: { steps: { run?: string }[] } } }
    const steps = workflow.jobs.lint.steps.flatMap(({ run = '' }) => (run.startsWith('npx admin') ? [run] : []))
    assert.equal(steps.length, 2)
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is an expression of GitHub's.
    const commands = steps.map((run) => run.replace('${{ github.base_ref }}', 'main'))
    for (const command of commands) {
      const { status, stdout } = shell(command)
      assert.deepEqual([status, stdout], [0, ''], command)
    }
    breakView()
    for (const command of commands) {
      const { status, stdout } = shell(command)
      assert.equal(status, 1, command)
      assert.match(
        stdout,
        /^::error file=shop\/views\/article\.yaml,line=7,endLine=7,col=15,endColumn=20,title=view\/unknown-field::/m,
      )
    }
  })

  test('the hook lets a sound commit through, and stops a broken one', () => {
    const hook = join(folder.path, '.git/hooks/pre-commit')
    mkdirSync(join(folder.path, '.git/hooks'), { recursive: true })
    writeFileSync(hook, blockOf('#!/bin/sh'))
    chmodSync(hook, 0o755)
    writeFileSync(join(folder.path, 'shop/README'), 'Mine\n')
    git('add', '.')
    assert.equal(git('commit', '--message', 'sound').status, 0)
    breakView()
    git('add', '.')
    const refused = git('commit', '--message', 'broken')
    assert.equal(refused.status, 1)
    assert.match(refused.stdout + refused.stderr, /Model 'Article' has no field 'titel'; did you mean 'title'\?/)
  })

  test('the commands do what they say', () => {
    const commands = blockOf('npx admin lint').trim().split('\n')
    assert.equal(commands.length, 5)
    for (const command of commands) {
      const { status, stderr } = shell(command)
      // Nothing is stored of a project that was never served.
      if (command.includes('--data')) assert.match(stderr, /There is no data in/)
      else assert.equal(status, 0, `${command}: ${stderr}`)
    }
  })
})
