import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { type CliOptions, runCli } from '../../helpers/cli/cli.ts'
import { makeProject, type TemporaryFolder } from '../../helpers/fixture.ts'
import { assertSnapshot } from '../../helpers/snapshot.ts'
import { valuesOf } from '../../helpers/values-of.ts'

const MODEL = 'name: Note\nfields:\n  - { name: text, type: string, required: true, max_length: 20 }\n'
const VIEWS = `- name: NoteForm
  view_type: form
  model: Note
  fields:
    - { name: text, title: Text }
  creation_fields: [text]
- name: NoteList
  view_type: list
  model: Note
  fields:
    - { name: text, title: Text }
`

describe('admin lint', () => {
  let project: TemporaryFolder
  const lint = (argv: readonly string[], options: Partial<CliOptions> = {}) =>
    runCli(['lint', ...argv], { cwd: project.path, ...options })
  const write = (file: string, text: string) => writeFileSync(join(project.path, file), text)
  const warn = () => write('views/note.yaml', VIEWS.replace(', title: Text', ''))
  const fail = () => write('views/note.yaml', VIEWS.replace('name: text,', 'name: txet,'))

  beforeEach(async () => {
    project = await makeProject({ 'models/note.yaml': MODEL, 'views/note.yaml': VIEWS })
  })
  afterEach(() => project.remove())

  describe('exit codes', () => {
    const rows: readonly { name: string; argv: string[]; state?: () => void; code: number; stderr?: RegExp }[] = [
      { name: 'clean', argv: [], code: 0 },
      { name: 'a warning', argv: [], state: () => warn(), code: 0 },
      {
        name: 'a warning that fails',
        argv: ['--fail-on', 'warn'],
        state: () => warn(),
        code: 1,
        stderr: /1 warning, which fail/,
      },
      { name: 'more warnings than allowed', argv: ['--max-warnings', '0'], state: () => warn(), code: 1, stderr: /allows 0/ },
      { name: 'as many warnings as allowed', argv: ['--max-warnings', '1'], state: () => warn(), code: 0 },
      {
        name: 'quiet warnings still count',
        argv: ['--quiet', '--max-warnings', '0'],
        state: () => warn(),
        code: 1,
        stderr: /allows 0/,
      },
      { name: 'an error', argv: [], state: () => fail(), code: 1, stderr: /Lint found 2 errors/ },
      {
        name: 'a file that is no YAML is a finding',
        argv: [],
        state: () => write('views/a.yaml', '{'),
        code: 1,
        stderr: /Lint found/,
      },
      { name: 'no project', argv: ['--project', 'nowhere'], code: 2, stderr: /There is no project folder/ },
      { name: 'no such path', argv: ['views/nope.yaml'], code: 2, stderr: /There is no .*nope\.yaml/ },
      { name: 'a path elsewhere', argv: ['..'], code: 2, stderr: /is not in the project folder/ },
      { name: 'no such format', argv: ['--format', 'xml'], code: 2, stderr: /pretty, json, github, sarif, junit/ },
      { name: 'no number', argv: ['--max-warnings', 'few'], code: 2, stderr: /a whole number, 0 or greater/ },
      { name: 'no such rule', argv: ['--explain', 'view/no-from'], code: 2, stderr: /did you mean 'view\/no-form'/ },
      {
        name: 'no such version',
        argv: ['--against', 'nowhere'],
        code: 2,
        stderr: /neither as a folder with a project nor as a git ref/,
      },
      { name: 'a version that is empty', argv: ['--against', ''], code: 2, stderr: /The version to compare with is empty/ },
      { name: 'a version of blanks', argv: ['--against', ' '], code: 2, stderr: /The version to compare with is empty/ },
      { name: 'a folder without a project as version', argv: ['--against', '/etc'], code: 2, stderr: /neither as a folder/ },
      { name: 'a folder without a project', argv: ['--project', 'node_modules'], code: 2, stderr: /There is no project in/ },
      { name: 'a ref that is an option', argv: ['--against=--upload-pack=x'], code: 2, stderr: /is no ref/ },
      { name: 'no data', argv: ['--data'], code: 2, stderr: /There is no data in/ },
    ]
    for (const { name, argv, state, code, stderr } of rows) {
      test(`${code}: ${name}`, async () => {
        state?.()
        const result = await lint(argv)
        assert.equal(result.code, code, result.stderr)
        if (stderr === undefined) assert.equal(result.stderr, '')
        else assert.match(result.stderr, stderr)
      })
    }
  })

  test('json is as documented, on stdout alone', async () => {
    fail()
    const { stdout } = await lint(['--format', 'json'])
    assertSnapshot(stdout, join(import.meta.dirname, '../../lint/snapshots/cli.json.txt'))
  })

  test('names files from the current folder, and reports on paths alone', async () => {
    fail()
    write('models/note.yaml', MODEL.replace('max_length', 'max_lenght'))
    const from = join(project.path, 'models')
    const all = await lint(['--project', '..', '--format', 'github'], { cwd: from })
    assert.match(all.stdout, /file=note\.yaml,/)
    assert.match(all.stdout, /file=\.\.\/views\/note\.yaml,/)
    const some = await lint(['--project', '..', '--format', 'github', 'note.yaml'], { cwd: from })
    assert.match(some.stdout, /^::error file=note\.yaml,.*\n$/)
    assert.equal(some.code, 1)
  })

  test('a dangling link is named relative to the current folder, too', async () => {
    symlinkSync('nowhere', join(project.path, 'models/link.yaml'))
    const { stdout } = await lint(['--project', '..', '--format', 'github'], { cwd: join(project.path, 'models') })
    assert.match(stdout, /^::error file=link\.yaml,/)
  })

  test('quiet prints errors only', async () => {
    warn()
    assert.match((await lint([])).stdout, /missing-title/)
    assert.doesNotMatch((await lint(['--quiet'])).stdout, /missing-title/)
  })

  test('--fix fixes findings and prints their number', async () => {
    warn()
    const { code, stdout } = await lint(['--fix', '--fail-on', 'warn'])
    assert.equal(code, 0)
    assert.equal(stdout, 'No findings in 2 files, 1 finding fixed.\n')
  })

  test('--explain explains one rule or lists all', async () => {
    const one = await lint(['--explain', 'view/missing-title'])
    assert.match(one.stdout, /^view\/missing-title \(warn\)\n[\s\S]*\nWrong\n[\s\S]*\nRight\n/)
    const all = await lint(['--explain'])
    assert.match(all.stdout, /^view\/missing-title +warn +A field of a view has no title$/m)
  })

  test('--schema prints the schema of json', async () => {
    const { stdout } = await lint(['--schema'])
    assert.match((JSON.parse(stdout) as { title: string }).title, /admin lint/)
  })

  test('--data reports records that violate a stricter model, also beside a server', async () => {
    write('models/note.yaml', MODEL.replace('max_length: 20', 'max_length: 20, unique: false'))
    const records = '- { text: short }\n- { text: rather long }\n'
    execFileSync('mkdir', [join(project.path, 'seed')])
    write('seed/note.yaml', records)
    await runCli(['serve', '--port', '0'], {
      cwd: project.path,
      async whileRunning() {
        assert.equal((await lint(['--data'])).code, 0)
        write('models/note.yaml', MODEL.replace('max_length: 20', 'max_length: 5'))
        const { code, stdout } = await lint(['--data', '--format', 'json'])
        assert.equal(code, 1)
        const { findings } = JSON.parse(stdout) as { findings: { message: string; record: object; line: number }[] }
        assert.deepEqual(
          findings.filter(({ record }) => record).map(({ message, record, line }) => [message, record, line]),
          [['note 2: text must be at most 5 characters long', { model: 'note', id: 2, field: 'text' }, 3]],
        )
      },
    })
  })

  test('--data fails if errors in other files than the named ones prevent the check of records', async () => {
    write('models/bad.yaml', 'name: Bad\nfields: 7\n')
    const { code, stdout, stderr } = await lint(['--data', 'models/note.yaml'])
    assert.equal(code, 1)
    assert.match(stdout, /^No findings/)
    assert.match(stderr, /The stored records were not checked, since the project has errors that prevent a start/)
  })

  test('--against a git ref reports breaking and other API changes, and does not modify git', async () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
        cwd: project.path,
        encoding: 'utf8',
      })
    git('init', '--quiet')
    git('add', 'models', 'views')
    git('commit', '--quiet', '--message', 'first')
    write('models/note.yaml', MODEL.replace('max_length: 20', 'max_length: 10'))
    write(
      'views/note.yaml',
      `${VIEWS.replace('NoteForm', 'EditNote')}- { name: More, view_type: list, model: Note, fields: [] }\n`,
    )
    appendFileSync(join(project.path, '.gitignore'), 'node_modules\n')
    const before = git('status', '--short')
    const { code, stdout } = await lint(['--against', 'HEAD', '--format', 'json'])
    assert.equal(code, 1)
    const { findings } = JSON.parse(stdout) as { findings: { rule: string; breaking: boolean; severity: string }[] }
    assert.deepEqual(valuesOf(findings, 'rule', 'breaking', 'severity'), [
      ['contract/bounds', true, 'error'],
      ['contract/view', true, 'error'],
      ['contract/view', false, 'note'],
    ])
    assert.equal(git('status', '--short'), before)
  })

  test('--against prefers a git ref to a folder without a project of the same name', async () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: project.path })
    git('init', '--quiet')
    git('add', 'models', 'views')
    git('commit', '--quiet', '--message', 'first')
    git('tag', 'v1')
    execFileSync('mkdir', [join(project.path, 'v1')])
    write('models/note.yaml', MODEL.replace('max_length: 20', 'max_length: 10'))
    assert.match((await lint(['--against', 'v1'])).stdout, /contract\/bounds/)
    execFileSync('cp', ['-r', 'models', 'views', 'v1'], { cwd: project.path })
    const { stdout } = await lint(['--against', 'v1'])
    assert.match(stdout, /^No findings/, 'a project in the folder goes before the ref')
  })

  test('--watch lints again when a file has changed', async () => {
    const seen: string[] = []
    const { code } = await lint(['--watch'], {
      async whileRunning(_, stderr) {
        seen.push(stderr())
      },
    })
    assert.equal(code, 0)
    assert.match(seen[0] ?? '', /Watching for changes/)
  })
})
