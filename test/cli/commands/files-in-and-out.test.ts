import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { encodePng } from '../../../src/mock/png.ts'
import { type CliResult, runCli } from '../../helpers/cli/cli.ts'
import { makeProject } from '../../helpers/fixture.ts'

const MODEL = `name: Photo
display_field: title
fields:
  - { name: title, type: string, required: true }
  - { name: cover, type: image, min_width: 10 }
  - { name: papers, type: file, multiple: true, accept: [text/plain], max_size: 1 KiB }
`
const USERS = '- { username: admin, email: a@example.com, password: files-in-and-out, is_superuser: true }\n'

const PICTURE = encodePng({
  width: 12,
  height: 8,
  palette: [
    [0, 0, 0],
    [255, 255, 255],
  ],
  colourAt: (x) => x & 1,
})
const SMALL = encodePng({
  width: 9,
  height: 8,
  palette: [
    [0, 0, 0],
    [255, 255, 255],
  ],
  colourAt: (x) => x & 1,
})

/** Runs commands in a project with files to import, without a server or beside one. */
async function inProject(
  place: 'without a server' | 'beside a server',
  work: (run: (...argv: readonly string[]) => Promise<CliResult>, path: string) => Promise<void>,
): Promise<void> {
  await using project = await makeProject({
    'models/photo.yaml': MODEL,
    'seed/user.yaml': USERS,
    'in/note.txt': 'A note\n',
    'in/large.txt': 'x'.repeat(1025),
    'secret.txt': 'A secret\n',
  })
  writeFileSync(join(project.path, 'in/reef.png'), PICTURE)
  writeFileSync(join(project.path, 'in/small.png'), SMALL)
  symlinkSync('../secret.txt', join(project.path, 'in/link.txt'))
  const run = (...argv: readonly string[]) => runCli(argv, { cwd: project.path })
  if (place === 'without a server') return await work(run, project.path)
  const served = await runCli(['serve', '--port', '0'], { cwd: project.path, whileRunning: () => work(run, project.path) })
  assert.equal(served.code, 0, served.stderr)
}

for (const place of ['without a server', 'beside a server'] as const) {
  describe(`files of imports and exports ${place}`, () => {
    test('paths of a file are uploaded and written as ids; a dry run keeps nothing', () =>
      inProject(place, async (run, path) => {
        writeFileSync(
          join(path, 'in/photos.csv'),
          'Title;Cover;papers\nOne;reef.png;note.txt;\n'.replace('note.txt;', '"note.txt;note.txt"') +
            'Two;"{""path"":""reef.png"",""name"":""写.png"",""alt"":""Reef""}";\n',
        )
        const dry = await run('import', 'photo', 'in/photos.csv', '--dry-run')
        assert.deepEqual([dry.code, dry.stderr], [0, '2 records would be imported; nothing was changed\n'])
        const { code, stderr } = await run('import', 'photo', 'in/photos.csv')
        assert.deepEqual([code, stderr], [0, 'Imported 2 records\n'])
        const { stdout } = await run('export', 'photo', '--format', 'json')
        const [one, two] = JSON.parse(stdout) as {
          cover: { name: string; alt: string; width: number }
          papers: { name: string }[]
        }[]
        assert.deepEqual([one?.cover.name, one?.papers.map(({ name }) => name)], ['reef.png', ['note.txt', 'note.txt']])
        assert.deepEqual([two?.cover.name, two?.cover.alt, two?.cover.width, two?.papers], ['写.png', 'Reef', 12, []])
      }))

    test('what a field does not take, and paths that lead out, are errors at row and field; nothing is imported', () =>
      inProject(place, async (run, path) => {
        const rows = [
          { title: 'A', cover: '../secret.txt' },
          { title: 'B', papers: ['note.txt', 'link.txt'] },
          { title: 'C', papers: ['large.txt'] },
          { title: 'D', cover: 'small.png' },
          { title: 'E', cover: 'note.txt' },
          { title: 'F', cover: { path: 'none.png' } },
          { title: 'G', cover: 'reef.png' },
        ]
        writeFileSync(join(path, 'in/photos.ndjson'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
        const { code, stderr } = await run('import', 'photo', 'in/photos.ndjson')
        assert.deepEqual(
          [code, stderr.split('\n')],
          [
            1,
            [
              "error in/photos.ndjson:1: cover must be a path inside the folder of the file that names it, not '../secret.txt'",
              "error in/photos.ndjson:2: papers must be a path inside the folder of the file that names it, not 'link.txt'",
              'error in/photos.ndjson:3: papers must not be larger than 1 KiB',
              'error in/photos.ndjson:4: cover must be at least 10 pixels wide',
              'error in/photos.ndjson:5: cover must be a JPEG, PNG, WebP, GIF or AVIF image, not text',
              "error in/photos.ndjson:6: cover names a file that does not exist: 'none.png'",
              '',
            ],
          ],
        )
        assert.equal((await run('export', 'photo', '--format', 'json')).stdout, '[]\n')
      }))

    test('uploads of an import that fails later are removed', () =>
      inProject(place, async (run, path) => {
        writeFileSync(join(path, 'in/photos.ndjson'), '{"cover":"reef.png"}\n')
        const { code, stderr } = await run('import', 'photo', 'in/photos.ndjson')
        assert.equal(code, 1)
        assert.match(stderr, /in\/photos\.ndjson:1: title is mandatory\n$/)
        const wrong = await run('import', 'photo', '-', '--format', 'csv')
        assert.equal(wrong.code, 0, 'an empty file')
      }))

    test('admin upload prints an id for each file, or uploads none', () =>
      inProject(place, async (run) => {
        const { code, stdout, stderr } = await run('upload', 'photo', 'papers', 'in/note.txt', 'secret.txt')
        assert.deepEqual([code, stderr], [0, 'Write the ids to papers of a record, or use --record; unused uploads expire\n'])
        assert.match(stdout, /^[\w-]{10,}-\w+\n[\w-]{10,}-\w+\n$/)
        const refused = await run('upload', 'photo', 'papers', 'in/note.txt', 'in/large.txt')
        assert.deepEqual(
          [refused.code, refused.stdout, refused.stderr],
          [1, '', 'error in/large.txt: papers must not be larger than 1 KiB\n'],
        )
        const none = await run('upload', 'photo', 'papers', 'in/nothing.txt')
        assert.match(none.stderr, /^error in\/nothing\.txt cannot be read: /)
        const field = await run('upload', 'photo', 'title', 'in/note.txt')
        assert.equal(field.stderr, "error 'title' is no field of files of photo (known: cover, papers)\n")
        const model = await run('upload', 'foto', 'title', 'in/note.txt')
        assert.equal(model.stderr, "error There is no model 'foto'; did you mean 'photo'?\n")
      }))

    test('admin upload --record gives a record the files, behind those that it has, or uploads none', () =>
      inProject(place, async (run, path) => {
        writeFileSync(join(path, 'in/photos.ndjson'), '{"title":"A","cover":"reef.png","papers":["note.txt"]}\n')
        assert.equal((await run('import', 'photo', 'in/photos.ndjson')).code, 0)
        const { code, stderr } = await run('upload', 'photo', 'papers', 'secret.txt', '--record', '1')
        assert.deepEqual([code, stderr], [0, 'papers of photo 1 has the file\n'])
        assert.equal((await run('upload', 'photo', 'cover', 'in/reef.png', '--record', '1')).code, 0)
        const { stdout } = await run('export', 'photo', '--format', 'json')
        const [record] = JSON.parse(stdout) as { papers: { name: string }[] }[]
        assert.deepEqual(
          record?.papers.map(({ name }) => name),
          ['note.txt', 'secret.txt'],
        )
        const none = await run('upload', 'photo', 'cover', 'in/reef.png', '--record', '9')
        assert.deepEqual([none.code, none.stderr], [1, 'error Photo with ID 9 does not exist\n'])
        const many = await run('upload', 'photo', 'cover', 'in/reef.png', 'in/reef.png', '--record', '1')
        assert.deepEqual([many.code, many.stderr], [1, 'error cover has one file; upload one\n'])
        // Without a server, a second command would be refused: the data folder is in use.
        const names = place === 'beside a server' ? ['b', 'c', 'd', 'e', 'f'].map((name) => `in/${name}.txt`) : []
        for (const name of names) writeFileSync(join(path, name), name)
        const uploads = await Promise.all(names.map((name) => run('upload', 'photo', 'papers', name, '--record', '1')))
        assert.deepEqual(
          uploads.filter(({ code }) => code !== 0),
          [],
        )
        const [kept] = JSON.parse((await run('export', 'photo', '--format', 'json')).stdout) as { papers: unknown[] }[]
        assert.equal(kept?.papers.length, 2 + names.length, 'uploads at the same time')
      }))

    test('admin download writes the files of a record, and replaces none', () =>
      inProject(place, async (run, path) => {
        const row = { title: 'A', cover: 'reef.png', papers: ['note.txt', { path: 'note.txt', name: '../x:y.txt' }, 'note.txt'] }
        writeFileSync(join(path, 'in/photos.ndjson'), `${JSON.stringify(row)}\n`)
        assert.equal((await run('import', 'photo', 'in/photos.ndjson')).code, 0)
        const { code, stderr } = await run('download', 'photo', '1', 'cover', '-o', 'copy.png')
        assert.deepEqual([code, stderr], [0, 'Wrote copy.png\n'])
        assert.deepEqual(readFileSync(join(path, 'copy.png')), PICTURE)
        const again = await run('download', 'photo', '1', 'cover', '-o', 'copy.png')
        assert.deepEqual([again.code, again.stderr], [1, 'error copy.png already exists; --force overwrites it\n'])
        assert.equal((await run('download', 'photo', '1', 'papers', '-o', 'papers')).code, 0)
        assert.deepEqual(readdirSync(join(path, 'papers')).sort(), ['note-2.txt', 'note.txt', 'x_y.txt'])
        const none = await run('download', 'photo', '2', 'cover', '-o', 'none.png')
        assert.equal(none.code, 1)
      }))

    test('an export replaces files of an earlier one with --force only, and leaves none if it fails', () =>
      inProject(place, async (run, path) => {
        const row = { title: 'A', cover: 'reef.png', papers: ['note.txt'] }
        writeFileSync(join(path, 'in/photos.ndjson'), `${JSON.stringify(row)}\n`)
        assert.equal((await run('import', 'photo', 'in/photos.ndjson')).code, 0)
        mkdirSync(join(path, 'out/files/photo'), { recursive: true })
        writeFileSync(join(path, 'out/files/photo/old'), '')
        const refused = await run('export', '--all', '--files', '-o', 'out')
        assert.match(refused.stderr, /^error files\/photo already exists beside the file of the records; --force replaces it\n$/)
        assert.deepEqual(readdirSync(join(path, 'out')), ['files'])
        const forced = await run('export', 'photo', '--files', '-o', 'out/photo.csv', '--force')
        assert.equal(forced.stderr, 'Wrote 1 record to out/photo.csv, and 2 files beside it\n')
        assert.deepEqual(readdirSync(join(path, 'out/files')), ['photo'])
        assert.deepEqual(readdirSync(join(path, 'out/files/photo')).sort(), ['cover', 'papers'])
        for (const [argv, message] of [
          [['--files'], /name a file or a folder with -o/],
          [['--files', '--labels', '-o', 'x.csv'], /--files is for CSV, JSON and NDJSON without --labels/],
          [['--files', '--fields', 'title', '-o', 'x.csv'], /add id to --fields/],
        ] as const) {
          const usage = await run('export', 'photo', ...argv)
          assert.equal(usage.code, 2)
          assert.match(usage.stderr, message)
        }
      }))
  })
}

test('an export whose bytes are damaged fails, names the file, and leaves nothing that looks whole', () =>
  inProject('without a server', async (run, path) => {
    const row = { title: 'A', papers: ['note.txt'] }
    writeFileSync(join(path, 'in/photos.ndjson'), `${JSON.stringify(row)}\n`)
    assert.equal((await run('import', 'photo', 'in/photos.ndjson')).code, 0)
    const stored = readdirSync(join(path, 'data/files'), { recursive: true, encoding: 'utf8' }).find((name) =>
      /[0-9a-f]{64}$/.test(name),
    )
    const file = join(path, 'data/files', stored ?? '')
    chmodSync(file, 0o600)
    writeFileSync(file, 'B note\n')
    const { code, stderr } = await run('export', 'photo', '--files', '-o', 'out')
    assert.deepEqual(
      [code, stderr],
      [1, "error 'note.txt' (photo 1, papers) is damaged: its bytes are not those that were uploaded\n"],
    )
    assert.deepEqual(readdirSync(join(path, 'out'), { recursive: true }), ['files'])
  }))
