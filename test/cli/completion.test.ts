import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { access, chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { COMMAND_TREE_FILE, commandTree } from '../../src/cli/command-tree.ts'
import { processIo } from '../../src/cli/io.ts'
import { buildProgram } from '../../src/cli/main.ts'
import { runCli } from '../helpers/cli/cli.ts'
import { ADMIN_BIN } from '../helpers/cli/process.ts'
import { copyFixture, type TemporaryFolder } from '../helpers/fixture.ts'

const run = promisify(execFile)

/** What a shell does when the tab key is pressed behind a line; printed a word a line. */
const PRESSED: Readonly<Record<string, string>> = {
  bash: `source <(admin completion bash)
COMP_WORDS=(WORDS)
COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
_admin_complete admin
printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: `autoload -U compinit && compinit -u -D
source <(admin completion zsh)
_describe() { printf '%s\\n' "\${(@)\${(P)2}%%:*}" }
_files() { echo }
words=(WORDS) CURRENT=\${#words}
_admin`,
  fish: `admin completion fish | source
complete --do-complete "LINE" | cut -f 1`,
}

describe('completion in a shell', () => {
  let project: TemporaryFolder
  let env: NodeJS.ProcessEnv

  before(async () => {
    project = await copyFixture('blog')
    const admin = join(project.path, 'admin')
    await writeFile(admin, `#!/bin/sh\nexec '${process.execPath}' '${ADMIN_BIN}' "$@"\n`)
    await chmod(admin, 0o755)
    env = { ...process.env, HOME: project.path, PATH: `${project.path}${delimiter}${process.env.PATH}` }
  })
  after(() => project.remove())

  const pressed = async (shell: string, line: string): Promise<string[]> => {
    const words = line
      .split(' ')
      .map((word) => `'${word}'`)
      .join(' ')
    const script = PRESSED[shell]?.replace('(WORDS)', `(${words})`).replace('LINE', line) ?? ''
    const { stdout } = await run(shell, ['-c', script], { cwd: project.path, env })
    return stdout.trimEnd().split('\n')
  }

  for (const shell of Object.keys(PRESSED)) {
    test(shell, async (t) => {
      const isThere = await run(shell, ['--version']).then(
        () => true,
        () => false,
      )
      if (!isThere && shell !== 'bash') {
        t.skip(`${shell} is not installed`)
        return
      }
      assert.deepEqual(await pressed(shell, 'admin ex'), ['export'])
      assert.deepEqual((await pressed(shell, 'admin export post --format ')).sort(), ['csv', 'json', 'ndjson', 'xlsx'])
      assert.deepEqual((await pressed(shell, 'admin export c')).sort(), ['category', 'comment'])
      assert.deepEqual(await pressed(shell, 'admin users pas'), ['passwd'])
      assert.deepEqual(await pressed(shell, 'admin export --sort-b'), ['--sort-by'])
    })
  }

  /** What a shell would obey if it read it as its own. */
  const HOSTILE = ['$(touch pwned)', '`touch pwned`', '*', '-rf', `a"b'c`, '$HOME', 'x;touch pwned']

  for (const shell of Object.keys(PRESSED)) {
    test(`${shell} executes no candidate`, async (t) => {
      const script = PRESSED[shell]?.replace('(WORDS)', '(admin x)').replace('LINE', 'admin ') ?? ''
      const fake = join(project.path, 'fake')
      await mkdir(fake, { recursive: true })
      const answers = HOSTILE.map((word) => `${word}\t$(touch pwned)`).join('\n')
      // The script is the true program's, the answers are not.
      const body = `#!/bin/sh\n[ "$1" = completion ] && exec '${process.execPath}' '${ADMIN_BIN}' "$@"\ncat <<'END'\n${answers}\nEND\n`
      await writeFile(join(fake, 'admin'), body, { mode: 0o755 })
      // What bash puts into the line is read by bash once more when the line is entered.
      const entered = shell === 'bash' ? `\neval "entered=(\${COMPREPLY[*]})"; printf '%s\\n' "\${entered[@]}"` : ''
      const options = { cwd: fake, env: { ...env, PATH: `${fake}${delimiter}${env.PATH}` } }
      const result = await run(shell, ['-c', script + entered], options).catch((error) => error)
      if (result.code === 'ENOENT') return t.skip(`${shell} is not installed`)
      const lines = result.stdout.trimEnd().split('\n')
      assert.deepEqual(
        shell === 'bash' ? lines.slice(-HOSTILE.length) : lines.sort(),
        shell === 'bash' ? HOSTILE : [...HOSTILE].sort(),
      )
      await assert.rejects(access(join(fake, 'pwned')), 'something was run')
    })
  }

  test('executes no file of the current folder and accepts only names', async () => {
    const strange = await copyFixture('minimal')
    const at = (name: string) => join(strange.path, name)
    const pwn = `import { writeFileSync } from 'node:fs'\nwriteFileSync('${at('pwned')}', '')\n`
    await writeFile(at('admin.config.ts'), `${pwn}export default {}\n`)
    await writeFile(at('models/a.ts'), `${pwn}export default { name: 'Alpha', fields: [{ name: 'title' }] }\n`)
    await writeFile(at('models/b.js'), `${pwn}export default { name: "Beta", fields: [] }\n`)
    await writeFile(at('models/c.yaml'), HOSTILE.map((name) => `- name: ${JSON.stringify(name)}\n  fields: []\n`).join(''))
    await writeFile(at('models/d.json'), '{"name": "Gamma\\n$(x)", "fields": [{"name": "title"}]}')
    await run('mkfifo', [at('models/e.yaml')])
    const asked = ['complete', '--', 'export', '']
    const { stdout } = await runCli(asked, { cwd: strange.path })
    const names = stdout.split('\t\n')
    assert.deepEqual(names, ['alpha', 'beta', 'gamma', 'group', 'note', 'permission', 'savedview', 'user', ''])
    const program = await run(process.execPath, [ADMIN_BIN, ...asked], { cwd: strange.path })
    assert.equal(program.stdout, stdout)
    await assert.rejects(access(at('pwned')), 'something was run')
    await strange.remove()
  })

  test('of the built program equals that of the source', async () => {
    const built = JSON.parse(await readFile(COMMAND_TREE_FILE, 'utf8'))
    assert.deepEqual(built, JSON.parse(JSON.stringify(commandTree(await buildProgram(processIo())))))
  })

  const complete = async (...words: string[]) => {
    const { code, stdout, stderr } = await runCli(['complete', '--', ...words], { cwd: project.path })
    assert.deepEqual([code, stderr], [0, ''])
    return stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split('\t')[0])
  }

  for (const [words, expected] of [
    [
      ['webhooks', 're'],
      ['remove', 'redeliver'],
    ],
    [['--debug', 'users', 'pa'], ['passwd']],
    [['mock', 'tag', 'po'], ['post']],
    [['mock', '--count', ''], []],
    [['search', 'post', ''], []],
    [['import', 'tag', ''], []],
    [['export', '-o', 'x', 'ta'], ['tag']],
    [['export', '--filters', 'a=b', 'c'], []],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['export', '--project', 'nowhere', ''], []],
    [['--de'], ['--debug']],
    [['nonsense', 'more', ''], []],
    [['comple'], ['completion']],
  ] as const) {
    test(`${['admin', ...words].join(' ')}⇥ is ${expected.join(', ') || 'a file, or anything'}`, async () => {
      const found = await complete(...words)
      if (words[0] === 'nonsense') assert.ok(found.includes('export'), 'a word that is none changes nothing')
      else assert.deepEqual(found, expected)
    })
  }

  test('help shows how to install it', async () => {
    const { stdout } = await runCli(['completion', '--help'], { cwd: project.path })
    assert.match(stdout, /~\/\.bashrc/)
    assert.equal((await runCli(['completion', 'tcsh'], { cwd: project.path })).code, 2)
    assert.doesNotMatch((await runCli(['--help'], { cwd: project.path })).stdout, /^ {2}complete\b/m)
  })
})
