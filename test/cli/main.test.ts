import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { runCli } from '../helpers/cli/cli.ts'
import { makeProject } from '../helpers/fixture.ts'

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as { version: string }
const cwd = import.meta.dirname

describe('the command line', () => {
  test('--version prints the version alone', async () => {
    assert.deepEqual(await runCli(['--version'], { cwd }), { code: 0, stdout: `${version}\n`, stderr: '' })
  })

  test('--help lists every command on stdout', async () => {
    const { code, stdout, stderr } = await runCli(['--help'], { cwd })
    assert.equal(code, 0)
    assert.equal(stderr, '')
    for (const command of ['serve', 'init', 'token', 'users', 'search']) assert.match(stdout, new RegExp(`^  ${command}\\b`, 'm'))
  })

  for (const argv of [
    ['serve'],
    ['init'],
    ['token'],
    ['users', 'add'],
    ['search'],
    ['mock'],
    ['reset'],
    ['snapshot', 'save'],
    ['snapshot', 'load'],
    ['doctor'],
  ]) {
    test(`admin ${argv.join(' ')} --help has an example`, async () => {
      const { code, stdout } = await runCli([...argv, '--help'], { cwd })
      assert.equal(code, 0)
      assert.match(stdout, /Examples?:\n {2}\$ .*admin /)
      assert.doesNotMatch(stdout, /\n\n\n./, 'one empty line at most')
    })
  }

  const wrongUsage: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['an unknown command', ['serv'], /unknown command 'serv'\n?.*Did you mean serve\?/s],
    ['an unknown option', ['serve', '--prot', '1'], /unknown option '--prot'.*Did you mean --port\?/s],
    ['a missing argument', ['init'], /missing required argument 'dir'/],
    ['a missing option', ['users', 'add', 'ann'], /required option '--email <address>' not specified/],
    ['a port that is none', ['serve', '--port', '70000'], /A port is a whole number from 0 to 65535/],
    ['a project folder that is not there', ['serve', '--project', 'nowhere'], /There is no project folder .*nowhere.*admin init/],
  ]
  for (const [what, argv, message] of wrongUsage) {
    test(`${what} is wrong usage: exit 2, the message on stderr`, async () => {
      const { code, stdout, stderr } = await runCli(argv, { cwd })
      assert.equal(code, 2)
      assert.equal(stdout, '')
      assert.match(stderr, message)
    })
  }

  test('a faulty project is exit 2 with a line for every fault', async () => {
    await using project = await makeProject({
      'models/a.yaml': 'name: A\nfields:\n  - { name: x, type: strng }\n',
      'views/a.yaml': 'name: F\nview_type: form\nmodel: Bee\nfields: []\n',
    })
    const { code, stdout, stderr } = await runCli(['serve', '--port', '0'], { cwd: project.path })
    assert.equal(code, 2)
    assert.equal(stdout, '')
    const lines = stderr.trimEnd().split('\n')
    assert.equal(lines.length, 2)
    assert.match(lines[0] ?? '', /^error models\/a\.yaml:3:22: Unknown type 'strng'; did you mean 'string'\?/)
    assert.match(lines[1] ?? '', /^error views\/a\.yaml:3:8: View 'F' refers to the model 'Bee', which does not exist$/)
  })

  const RED = '\u001b[31m'
  for (const { terminal, env, coloured } of [
    { terminal: true, env: {}, coloured: true },
    { terminal: true, env: { NO_COLOR: '1' }, coloured: false },
    { terminal: false, env: {}, coloured: false },
  ]) {
    test(`colour ${coloured ? 'on' : 'off'} with terminal: ${terminal}, NO_COLOR: ${env.NO_COLOR ?? 'unset'}`, async () => {
      const { stderr } = await runCli(['token', '--project', 'nowhere'], { cwd, terminal, env })
      assert.equal(stderr.includes(RED), coloured)
    })
  }

  test('the stack is shown with --debug only', async () => {
    const quiet = await runCli(['token', '--project', 'nowhere'], { cwd })
    const loud = await runCli(['--debug', 'token', '--project', 'nowhere'], { cwd })
    assert.doesNotMatch(quiet.stderr, /\n\s+at /)
    assert.match(loud.stderr, /\n\s+at /)
  })
})
