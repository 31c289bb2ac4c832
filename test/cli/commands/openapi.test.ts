import assert from 'node:assert/strict'
import { link, lstat, mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { AppError } from '../../../src/errors.ts'
import { addressIn, runCli } from '../../helpers/cli/cli.ts'
import { copyFixture, makeProject, type TemporaryFolder, temporaryFolder } from '../../helpers/fixture.ts'

describe('admin openapi, admin types and admin generate', () => {
  let project: TemporaryFolder
  const run = (...argv: readonly string[]) => runCli(argv, { cwd: project.path })
  const read = (file: string) => readFile(join(project.path, file), 'utf8')

  before(async () => {
    project = await copyFixture('blog')
  })
  after(() => project.remove())

  test('admin openapi prints the document, and touches no data', async () => {
    const { code, stdout, stderr } = await run('openapi')
    assert.deepEqual([code, stderr], [0, ''])
    assert.equal(JSON.parse(stdout).openapi, '3.1.0')
    assert.ok(!(await readdir(project.path)).includes('data'), 'no data folder is made')
  })

  test('admin openapi -o writes the same into a file', async () => {
    const { code, stdout, stderr } = await run('openapi', '-o', 'api.json')
    assert.deepEqual([code, stdout, stderr], [0, '', 'Wrote api.json\n'])
    assert.equal(await read('api.json'), (await run('openapi')).stdout)
  })

  test('admin openapi -o replaces the file: other hard links keep the former content', async () => {
    await writeFile(join(project.path, 'whole.json'), 'former')
    await link(join(project.path, 'whole.json'), join(project.path, 'former.json'))
    assert.equal((await run('openapi', '-o', 'whole.json')).code, 0)
    assert.deepEqual([await read('former.json'), await read('whole.json')], ['former', (await run('openapi')).stdout])
    assert.deepEqual(
      (await readdir(project.path)).filter((name) => name.includes('.tmp')),
      [],
    )
  })

  test('admin openapi -o follows symbolic links and writes to devices', async () => {
    await mkdir(join(project.path, 'made'))
    await symlink('made/linked.json', join(project.path, 'linked.json'))
    await writeFile(join(project.path, 'made/linked.json'), 'former')
    assert.equal((await run('openapi', '-o', 'linked.json')).code, 0)
    assert.equal(await read('made/linked.json'), (await run('openapi')).stdout)
    assert.ok((await lstat(join(project.path, 'linked.json'))).isSymbolicLink())
    assert.deepEqual(await run('openapi', '-o', '/dev/null'), { code: 0, stdout: '', stderr: 'Wrote /dev/null\n' })
    const folder = await run('types', '-o', 'made')
    assert.deepEqual([folder.code, /^error made cannot be written: EISDIR/.test(folder.stderr)], [1, true])
  })

  test('admin types -o keeps the former file when it cannot finish', async () => {
    await writeFile(join(project.path, 'kept.ts'), 'former')
    const stop = new AppError('TASK_FAILED', 'Interrupted by SIGINT')
    const interrupted = AbortSignal.abort(stop)
    const { code, stderr } = await runCli(['types', '-o', 'kept.ts'], { cwd: project.path, interrupted })
    assert.deepEqual([code, stderr], [1, 'error Interrupted by SIGINT; kept.ts was not written\n'])
    assert.equal(await read('kept.ts'), 'former')
  })

  test('admin openapi names every fault of a faulty project, and exits 2', async () => {
    await using faulty = await copyFixture('minimal')
    await writeFile(join(faulty.path, 'models/note.yaml'), 'name: Note\nfields: [{ name: a, type: strnig }]\n')
    const { code, stdout, stderr } = await runCli(['openapi', '--project', faulty.path], { cwd: project.path })
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, /models\/note\.yaml:2:27: Unknown type 'strnig'/)
  })

  test('admin types --check accepts the output of admin types, with other line ends too', async () => {
    assert.equal((await run('types', '-o', 'admin.ts')).code, 0)
    const { code, stdout, stderr } = await run('types', '-o', 'admin.ts', '--check')
    assert.deepEqual([code, stdout, stderr], [0, '', 'admin.ts is up to date\n'])
    await writeFile(join(project.path, 'windows.ts'), (await read('admin.ts')).replaceAll('\n', '\r\n'))
    assert.equal((await run('types', '-o', 'windows.ts', '--check')).code, 0)
  })

  test('admin types --check prints the difference, exits 1 and writes nothing', async () => {
    const right = (await run('types')).stdout
    const drifted = right.replace('  color: string | null\n', '  colour: string | null\n')
    await writeFile(join(project.path, 'old.ts'), drifted)
    const { code, stdout, stderr } = await run('types', '-o', 'old.ts', '--check')
    assert.equal(code, 1)
    assert.match(stdout, /^@@ line \d+ @@\n- {2}colour: string \| null\n\+ {2}color: string \| null\n$/)
    assert.equal(stderr, 'error old.ts is not up to date; update it: admin types -o old.ts\n')
    assert.equal(await read('old.ts'), drifted)
  })

  test('admin types --check shows some lines of many', async () => {
    await writeFile(join(project.path, 'empty.ts'), '')
    const { code, stdout } = await run('types', '-o', 'empty.ts', '--check')
    assert.equal(code, 1)
    assert.ok(stdout.split('\n').length < 15, stdout)
    assert.match(stdout, /^\+ … and \d+ more lines$/m)
  })

  test('admin types --check needs an existing file', async () => {
    const unnamed = await run('types', '--check')
    assert.deepEqual([unnamed.code, unnamed.stderr], [2, 'error --check needs the file to check: admin types -o FILE --check\n'])
    const missing = await run('types', '-o', 'nowhere.ts', '--check')
    assert.equal(missing.code, 1)
    assert.match(missing.stderr, /^error nowhere\.ts cannot be read: /)
  })

  test('admin generate view prints a form and a list, or one of them', async () => {
    const both = await run('generate', 'view', 'tag')
    assert.deepEqual([both.code, both.stderr, both.stdout], [0, '', TAG_VIEWS])
    const list = await run('generate', 'view', 'Tag', '--list')
    assert.match(list.stdout, /^name: TagList2\nview_type: list\n/)
    assert.doesNotMatch((await run('generate', 'view', 'tag', '--form')).stdout, /view_type: list/)
  })

  test('admin generate view overwrites a file only with --force', async () => {
    await writeFile(join(project.path, 'mine.yaml'), 'mine')
    const refused = await run('generate', 'view', 'group', '-o', 'mine.yaml')
    assert.deepEqual([refused.code, refused.stderr], [1, 'error mine.yaml already exists; --force overwrites it\n'])
    assert.equal(await read('mine.yaml'), 'mine')
    assert.equal((await run('generate', 'view', 'group', '-o', 'mine.yaml', '--force')).code, 0)
    assert.match(await read('mine.yaml'), /^- name: GroupForm2\n/)
  })

  test('generated views of every model form a valid project', async () => {
    await using fresh = await copyFixture('blog')
    for (const model of ['user', 'group', 'permission', 'comment', 'post', 'category', 'tag']) {
      const { code } = await runCli(['generate', 'view', model, '-o', `views/new-${model}.yaml`], { cwd: fresh.path })
      assert.equal(code, 0, model)
    }
    assert.equal((await runCli(['openapi'], { cwd: fresh.path })).code, 0)
    const lint = await runCli(['lint', '--max-warnings', '0'], { cwd: fresh.path })
    assert.deepEqual([lint.code, lint.stdout], [0, 'No findings in 21 files.\n'])
  })

  test('admin generate view --all writes the views that are missing, one file a model, all or none', async () => {
    const files = {
      'models/shop.yaml': 'name: Shop\nfields:\n  - { name: name, type: string, required: true, help_text: On the sign }\n',
      'models/item.yaml':
        'name: Item\nfields:\n  - { name: name, type: string }\n  - { name: seen_on, type: date, default: today }\n  - { name: seen_at, type: datetime, default: now }\n  - { name: shop_id, type: foreignkey, model: shop }\n',
      'views/item.yaml': 'name: Items\nview_type: list\nmodel: Item\nfields:\n  - { name: name, title: Name }\n',
    }
    await using fresh = await makeProject(files)
    const generate = (...argv: readonly string[]) => runCli(['generate', 'view', ...argv], { cwd: fresh.path })
    const printed = await generate('--all', '--form')
    const names = [...printed.stdout.matchAll(/^- name: (\w+)$/gm)].map(([, name]) => name)
    assert.deepEqual(names, ['UserForm', 'GroupForm', 'PermissionForm', 'ItemForm', 'ShopForm'])
    await rename(join(fresh.path, 'views/item.yaml'), join(fresh.path, 'views/shop.yaml'))
    const refused = await generate('--all', '-o', 'views')
    assert.deepEqual([refused.code, refused.stderr], [1, 'error views/shop.yaml already exists; --force overwrites it\n'])
    assert.deepEqual(await readdir(join(fresh.path, 'views')), ['shop.yaml'])
    await rename(join(fresh.path, 'views/shop.yaml'), join(fresh.path, 'views/item.yaml'))
    const { code, stdout, stderr } = await generate('--all', '-o', 'views')
    const written = ['user', 'group', 'permission', 'item-form', 'shop'].map((name) => `Wrote views/${name}.yaml\n`)
    assert.deepEqual([code, stdout, stderr], [0, '', written.join('')])
    assert.match(await readFile(join(fresh.path, 'views/shop.yaml'), 'utf8'), /help_text: On the sign/)
    assert.doesNotMatch(await readFile(join(fresh.path, 'views/item-form.yaml'), 'utf8'), /view_type: list/)
    assert.equal(await readFile(join(fresh.path, 'views/item.yaml'), 'utf8'), files['views/item.yaml'])
    const lint = await runCli(['lint', '--max-warnings', '0'], { cwd: fresh.path })
    assert.deepEqual([lint.code, lint.stdout], [0, 'No findings in 8 files.\n'])
    assert.deepEqual(await generate('--all'), { code: 0, stdout: '', stderr: 'No view is missing.\n' })
  })

  test('admin generate view takes a model or --all', async () => {
    const message = 'error Name a model, or use --all for every model\n'
    for (const argv of [[], ['tag', '--all']]) {
      const { code, stderr } = await run('generate', 'view', ...argv)
      assert.deepEqual([code, stderr], [2, message])
    }
  })

  test('a command with --all takes no name of a file as its folder', async () => {
    for (const [argv, file] of [
      [['generate', 'view'], 'views/all.yaml'],
      [['export'], 'all.csv'],
    ] as const) {
      const { code, stderr } = await run(...argv, '--all', '-o', file)
      assert.deepEqual([code, stderr], [2, `error With --all, -o names a folder, and '${file}' is the name of a file\n`])
    }
  })

  test('admin generate view works when the shell has created the empty output file', async () => {
    await using fresh = await copyFixture('blog')
    await writeFile(join(fresh.path, 'views/new-tag.yaml'), '')
    const { code, stdout } = await runCli(['generate', 'view', 'tag', '--list'], { cwd: fresh.path })
    assert.equal(code, 0)
    assert.match(stdout, /^name: TagList/)
    await writeFile(join(fresh.path, 'models/tag.yaml'), 'name: 5')
    assert.equal((await runCli(['generate', 'view', 'tag'], { cwd: fresh.path })).code, 2)
  })

  test('admin generate view says which model was meant', async () => {
    const { code, stderr } = await run('generate', 'view', 'psot')
    assert.deepEqual([code, stderr], [1, "error There is no model 'psot'; did you mean 'post'?\n"])
  })
})

const TAG_VIEWS = `- name: TagForm2
  view_type: form
  model: Tag
  fields:
    - {name: id, title: ID, field_type: primarykey, is_primary_key: true, readonly: true, disabled: true}
    - {name: name, title: Name, field_type: string, widget: text, required: true, options: {max_length: 50}}
    - {name: slug, title: Slug, field_type: slug, widget: text, required: true}
    - {name: color, title: Colour, field_type: string, widget: text, help_text: "Six lower-case hex digits after a #"}
  creation_fields: [name, slug, color]
  allowed_update_fields: [name, slug, color]
- name: TagList2
  view_type: list
  model: Tag
  fields:
    - {name: id, title: ID, field_type: primarykey, is_primary_key: true}
    - {name: name, title: Name, field_type: string, widget: text}
    - {name: slug, title: Slug, field_type: slug, widget: text}
    - {name: color, title: Colour, field_type: string, widget: text}
`

test('openapi and types of a server equal those of its project, from a folder without a project', async () => {
  const project = await copyFixture('minimal')
  const elsewhere = await temporaryFolder()
  try {
    const add = ['users', 'add', 'root', '--email', 'root@example.com', '--superuser', '--password-stdin']
    await runCli(add, { cwd: project.path, stdin: 'long-enough' })
    const served = await runCli(['serve', '--port', '0'], {
      cwd: project.path,
      async whileRunning(stdout) {
        const token = (await runCli(['token'], { cwd: project.path })).stdout.trim()
        const env = { ADMIN_URL: addressIn(stdout), ADMIN_TOKEN: token }
        for (const command of ['openapi', 'types']) {
          const own = await runCli([command], { cwd: project.path })
          assert.deepEqual(await runCli([command, '--url', env.ADMIN_URL, '--token', token], { cwd: elsewhere.path }), own)
          assert.deepEqual(await runCli([command], { cwd: elsewhere.path, env }), own)
        }
        const written = await runCli(['types', '-o', 'admin.ts'], { cwd: elsewhere.path, env })
        assert.equal(written.code, 0)
        assert.equal((await runCli(['types', '-o', 'admin.ts', '--check'], { cwd: elsewhere.path, env })).code, 0)
        const both = await runCli(['types', '--url', env.ADMIN_URL, '--project', project.path], { cwd: elsewhere.path })
        assert.equal(both.code, 2)
      },
    })
    assert.equal(served.code, 0)
  } finally {
    await project.remove()
    await elsewhere.remove()
  }
})
