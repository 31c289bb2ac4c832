import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { readProjectFiles } from '../../src/config/project-files.ts'
import { AppError } from '../../src/errors.ts'
import { loadProject } from '../../src/project/project.ts'
import { makeProject } from '../helpers/fixture.ts'
import { valuesOf } from '../helpers/values-of.ts'
import { viewsFor } from '../views/views.ts'
import { assertLines, linesOf } from './marks.ts'
import { assertFaults, type Files, faultsOf, load } from './projects.ts'

const NOTE = 'name: Note\nfields:\n  - { name: text, type: text }\n'

describe('a project folder', () => {
  test('a missing folder is wrong usage, with the command that creates one', async () => {
    const folder = await makeProject({ 'models/note.yaml': NOTE })
    await folder.remove()
    for (const missing of [folder.path, `${folder.path}/further`]) {
      await assert.rejects(loadProject({ folder: missing, env: {}, flags: {} }), (error) => {
        assert.ok(error instanceof AppError)
        assert.equal(error.code, 'USAGE')
        assert.equal(error.exitCode, 2)
        assert.match(error.message, /^There is no project folder /)
        assert.ok(error.message.includes(missing))
        assert.match(error.message, /admin init/)
        return true
      })
    }
  })

  test('a file in its place is a USAGE error', async () => {
    await using folder = await makeProject({ 'models/note.yaml': NOTE })
    await assert.rejects(readProjectFiles(`${folder.path}/models/note.yaml`), { code: 'USAGE' })
  })

  test('a folder without a file of a project is wrong usage', () =>
    assert.rejects(load({ 'models/README.md': '# Models', 'notes.yaml': 'a: 1' }), (error) => {
      assert.ok(error instanceof AppError)
      assert.deepEqual([error.code, error.exitCode], ['USAGE', 2])
      assert.match(error.message, /^There is no project in .*: no models, views or admin\.config; .*--project.*admin init/)
      return true
    }))

  test('settings alone are a project of the built-in models', async () => {
    const { registry, views, seeds, settings } = await load({ 'admin.config.yaml': '' })
    assert.deepEqual(valuesOf(registry.public, 'key'), ['user', 'group', 'permission', 'savedview'])
    assert.deepEqual(views.grouped, [])
    assert.deepEqual(seeds, [])
    assert.equal(settings.port, 8000)
  })

  test('files and views are ordered by name', async () => {
    const list = (name: string): string => `name: ${name}\nview_type: list\nmodel: Note\nfields: []\n`
    const { views } = await load({
      'models/note.yaml': NOTE,
      'views/b.yaml': list('B'),
      'views/a.yaml': `- ${list('A2').replaceAll('\n', '\n  ')}\n- ${list('A1').replaceAll('\n', '\n  ')}`,
      'views/c.json': JSON.stringify({ name: 'C', view_type: 'list', model: 'Note', fields: [] }),
    })
    assert.deepEqual(valuesOf(viewsFor(views, 'note'), 'name'), ['A2', 'A1', 'B', 'C'])
  })

  test('seed files are found by model and format', async () => {
    const { seeds } = await load({ 'models/note.yaml': NOTE, 'seed/note.ndjson': '', 'seed/user.csv': '', 'seed/group.yml': '' })
    assert.deepEqual(valuesOf(seeds, 'model', 'file'), [
      ['group', 'seed/group.yml'],
      ['note', 'seed/note.ndjson'],
      ['user', 'seed/user.csv'],
    ])
  })
})

test('a folder within models or views is a fault, so that its files are not ignored silently', async () => {
  assertLines(await faultsOf({ 'models/note.yaml': NOTE, 'models/parts/deeper.yaml': 'not: a model\n' }), [
    'models/parts:1:1: models/ cannot contain folders; move the files directly into models/',
  ])
})

describe('ignored files', () => {
  const rows: Files = {
    'models/.note.yaml.swp': 'x',
    'models/.DS_Store': 'x',
    'models/types.d.ts': 'export type X = 1\n',
    'models/note.test.ts': "throw new Error('a test is no model')\n",
    'views/.gitkeep': '',
    'seed/.gitkeep': '',
    'notes.yaml': 'not: a model\n',
    'models/README.md': '# Models\n',
    'models/note.yaml~': 'x',
    'models/note.yaml.bak': 'x',
    'models/LICENSE': 'x',
    'views/README.md': '# Views\n',
    'views/note.yaml~': 'x',
    'seed/README.md': '# Seeds\n',
    'seed/note.csv~': 'x',
    'admin.config.md': '# Settings\n',
    'admin.config.yaml~': 'x',
    'admin.config.local.yaml': 'prot: 1\n',
  }
  for (const [file, text] of Object.entries(rows)) test(file, () => assertFaults({ 'models/note.yaml': NOTE, [file]: text }, []))
})

describe('empty files', () => {
  for (const text of ['', '\n', '# Later\n', '\uFEFF']) {
    test(JSON.stringify(text), async () =>
      assertLines(
        await faultsOf({
          'models/note.yaml': NOTE,
          'models/tag.yaml': text,
          'views/tag.yaml': text,
          'dashboard.yaml': text,
          'admin.config.yaml': text,
        }),
        [
          "dashboard.yaml:1:1: The file is empty; write 'panels', or remove the file",
          'models/tag.yaml:1:1: The file is empty; write a model, or remove the file',
          'views/tag.yaml:1:1: The file is empty; write a view, or remove the file',
        ],
      ),
    )
  }
})

describe('files that are not in UTF-8', () => {
  for (const [encoding, bytes, message] of [
    ['UTF-16', Buffer.from(`\uFEFF${NOTE}`, 'utf16le'), 'The file is in UTF-16; save it as UTF-8'],
    [
      'Latin-1',
      Buffer.from('name: Caf\xe9\n', 'latin1'),
      'The file is not in UTF-8, but probably in Latin-1 (Windows-1252); save it as UTF-8',
    ],
  ] as const) {
    test(encoding, async () => {
      await using folder = await makeProject({ 'models/note.yaml': NOTE })
      await mkdir(join(folder.path, 'seed'))
      for (const file of ['models/other.yaml', 'seed/note.yaml']) await writeFile(join(folder.path, file), bytes)
      const { faults } = await readProjectFiles(folder.path)
      assert.deepEqual(linesOf(faults.list), [`models/other.yaml:1:1: ${message}`])
    })
  }
})

describe('misspelt folders', () => {
  for (const [misspelt, meant] of [
    ['model', 'models'],
    ['view', 'views'],
    ['seeds', 'seed'],
  ]) {
    test(`${misspelt}/ instead of ${meant}/`, async () => {
      const files = { 'admin.config.yaml': '', [`${misspelt}/note.yaml`]: NOTE }
      assert.deepEqual(await faultsOf(files), [`${misspelt}:1:1: The folder ${misspelt}/ is not read; rename it to ${meant}/`])
      assert.deepEqual(await faultsOf({ 'admin.config.yaml': '', [`${misspelt}/logo.png`]: '' }), [])
    })
  }

  test('a folder beside the one that is read may have any name', () =>
    assertFaults({ 'models/note.yaml': NOTE, 'model/other.yaml': NOTE }, []))
})

describe('misplaced files', () => {
  const rows: readonly { name: string; files: Files; messages: string[] }[] = [
    {
      name: 'a second config',
      files: { 'admin.config.json': '{}\n', 'admin.config.yaml': '»port: 1\n' },
      messages: ['There is already admin.config.json; keep one of the two'],
    },
    {
      name: 'a third config',
      files: { 'admin.config.json': '{}\n', 'admin.config.ts': '»export default {}\n', 'admin.config.yml': '»port: 1\n' },
      messages: Array<string>(2).fill('There is already admin.config.json; keep one of the two'),
    },
    ...['.toml', '.json5', '.jsonc', '.mjs', '.cjs', '.mts', '.cts', '.tsx', '.jsx', '.xml', '.ini', '.csv', '.ndjson'].map(
      (format) => ({
        name: `definitions in ${format} files`,
        files: { [`models/note${format}`]: '»\n', [`views/note${format}`]: '»\n' },
        messages: Array<string>(2).fill(`No definitions are read from ${format} files; use one of .yaml .yml .json .ts .js`),
      }),
    ),
    ...['.toml', '.mjs', '.csv', '.json5'].map((format) => ({
      name: `settings in a ${format} file`,
      files: { [`admin.config${format}`]: '»\n' },
      messages: [`No settings are read from ${format} files; use one of .yaml .yml .json .ts .js`],
    })),
    {
      name: 'settings in a supported and in an unsupported format',
      files: { 'admin.config.toml': '»port = 1\n', 'admin.config.yaml': 'port: 1\n' },
      messages: ['No settings are read from .toml files; use one of .yaml .yml .json .ts .js'],
    },
    ...['.ts', '.js', '.toml', '.xml', '.jsonc'].map((format) => ({
      name: `seed records in a ${format} file`,
      files: { 'models/note.yaml': NOTE, [`seed/note${format}`]: '»export default []\n' },
      messages: [`No seed records are read from ${format} files; use one of .yaml .yml .json .ndjson .csv`],
    })),
    {
      name: 'two seed files of one model',
      files: { 'models/note.yaml': NOTE, 'seed/note.csv': 'text\n', 'seed/note.json': '»[]\n' },
      messages: ["There is already a seed file for 'note'; keep one of the two"],
    },
    {
      name: 'a seed file for an unknown model',
      files: { 'models/note.yaml': NOTE, 'seed/nope.yaml': '»[]\n' },
      messages: ["There is no model 'nope' to seed; did you mean 'note'?"],
    },
    {
      name: 'a seed file for an unknown model without a similar name',
      files: { 'models/note.yaml': NOTE, 'seed/weather.yaml': '»[]\n' },
      messages: ["There is no model 'weather' to seed"],
    },
    {
      name: 'a seed file named like the class of its model',
      files: { 'models/note.yaml': NOTE, 'seed/Note.yaml': '»[]\n' },
      messages: ["There is no model 'Note' to seed; did you mean 'note'?"],
    },
    {
      name: 'a seed file for an internal model',
      files: { 'seed/authsession.yaml': '»[]\n' },
      messages: ["There is no model 'authsession' to seed"],
    },
    {
      name: 'webhooks of unknown models, names in URLs, and invalid secrets',
      files: {
        'models/note.yaml': NOTE,
        'admin.config.yaml':
          'webhooks:\n  - url: https://a.example/\n    models: [note, »nota]\n  - url: »https://ann:key@b.example/\n    secret: »whsec_short-and-no-base64\n' +
          '  - url: »ftp://c.example/\n    secret: »umlauts are änderbar\n  - url: https://d.example/\n    secret: »fifteen letters\n',
      },
      messages: [
        "There is no model 'nota'; did you mean 'note'?",
        "'webhooks[1].url' must not contain a user name or password; receivers verify the signature instead",
        "'webhooks[1].secret' must be whsec_ followed by 24 to 64 bytes in Base64",
        "'webhooks[2].url' must be an http or https address such as https://example.com/hooks",
        "'webhooks[2].secret' must be printable ASCII",
        "'webhooks[3].secret' must be at least 16 characters long",
      ],
    },
    {
      name: 'a seed file named __proto__',
      files: { 'seed/__proto__.json': '»[]\n' },
      messages: ["There is no model '__proto__' to seed"],
    },
  ]
  for (const { name, files, messages } of rows) test(name, () => assertFaults(files, messages))
})

describe('files that cannot be read', () => {
  /** The faults of a project with these symbolic links (path → target). */
  async function faultsWith(links: Files, files: Files = {}): Promise<string[]> {
    await using folder = await makeProject({ 'parts/note.yaml': NOTE, ...files })
    for (const [name, target] of Object.entries(links)) {
      await mkdir(dirname(join(folder.path, name)), { recursive: true })
      await symlink(join(folder.path, target), join(folder.path, name))
    }
    const { faults } = await readProjectFiles(folder.path)
    return linesOf(faults.list)
  }

  const rows: Readonly<Record<string, readonly [string, RegExp]>> = {
    'a folder named like a model': ['models/a.yaml', /^models\/a\.yaml:1:1: Cannot be read: it is not a regular file$/],
    'a folder named like a view': ['views/a.json', /^views\/a\.json:1:1: Cannot be read: it is not a regular file$/],
    'a folder named like the settings': [
      'admin.config.yaml',
      /^admin\.config\.yaml:1:1: Cannot be read: it is not a regular file$/,
    ],
  }
  for (const [name, [file, line]] of Object.entries(rows)) {
    test(`${name}, through a link`, async () => {
      const lines = await faultsWith({ [file]: 'parts' })
      assert.equal(lines.length, 1)
      assert.match(lines[0] ?? '', line)
    })

    test(`${name.replace('a folder', 'a link')} whose target does not exist`, async () => {
      const lines = await faultsWith({ [file]: 'nowhere' })
      assert.equal(lines.length, 1)
      assert.equal(lines[0]?.startsWith(`${file}:1:1: Cannot be read: ENOENT`), true, lines[0])
    })
  }

  test('each is reported, beside other faults', async () => {
    const links = { 'models/a.yaml': 'parts', 'models/b.yaml': 'nowhere', 'models/c.ts': 'nowhere.ts' }
    const lines = await faultsWith(links, { 'views/d.toml': '' })
    assert.deepEqual(
      lines.map((line) => line.split(': ').slice(0, 2).join(': ')),
      [
        'models/a.yaml:1:1: Cannot be read',
        'models/b.yaml:1:1: Cannot be read',
        'models/c.ts:1:1: Cannot be loaded',
        'views/d.toml:1:1: No definitions are read from .toml files; use one of .yaml .yml .json .ts .js',
      ],
    )
  })

  test('named pipes, since reading one would block', async () => {
    await using folder = await makeProject({ 'models/note.yaml': NOTE })
    for (const file of ['a.yaml', 'b.ts']) execFileSync('mkfifo', [join(folder.path, 'models', file)])
    const { faults } = await readProjectFiles(folder.path)
    assert.deepEqual(linesOf(faults.list), [
      'models/a.yaml:1:1: Cannot be read: it is not a regular file',
      'models/b.ts:1:1: Cannot be read: it is not a regular file',
    ])
  })

  test('a link to a model is a model', async () => assert.deepEqual(await faultsWith({ 'models/a.yaml': 'parts/note.yaml' }), []))
})
