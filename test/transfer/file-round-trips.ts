import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { encodePng } from '../../src/mock/png.ts'
import { FORMATS } from '../../src/query/formats.ts'
import { isObject } from '../../src/util/json.ts'
import { type CliOptions, runCli } from '../helpers/cli/cli.ts'
import { makeProject } from '../helpers/fixture.ts'

const MODEL = `name: Photo
display_field: title
fields:
  - { name: title, type: string, required: true }
  - { name: cover, type: image }
  - { name: papers, type: file, multiple: true }
`

const NAMES = [
  '写真 その1.txt',
  'תמונה.txt',
  '👨‍👩‍👧 ❤️.txt',
  `${'長'.repeat(251)}.txt`,
  `${'y'.repeat(251)}.txt`,
  'same.txt',
  'same.txt',
  'SAME.txt',
  'con.txt',
  '"quoted", with; signs.txt',
  '.hidden',
]

const picture = (side: number): Buffer =>
  encodePng({
    width: side,
    height: side,
    palette: [
      [0, 90, 120],
      [240, 220, 90],
    ],
    colourAt: (x, y) => (x ^ y) & 1,
  })

/** Seeds with the files; the second record has none. */
function seeds(): Record<string, string | Buffer> {
  const papers = NAMES.map((name, index) => ({
    path: `given/${index}`,
    name,
    ...(index % 2 === 0 ? { alt: `Paper ${index}, “${name}”` } : {}),
  }))
  return {
    'seed/photo.json': JSON.stringify([
      { title: 'First', cover: { path: 'given/a.png', alt: 'A; "picture"' }, papers },
      { title: 'Second' },
      { title: 'Third', cover: 'given/b.png', papers: ['given/0'] },
    ]),
    'seed/given/a.png': picture(8),
    'seed/given/b.png': picture(20),
    ...Object.fromEntries(
      NAMES.map((name, index) => [`seed/given/${index}`, index === 2 ? '' : `Bytes of ${name}\n`.repeat(index + 1)]),
    ),
  }
}

/** The hashes of all files of a folder, by their path. */
function filesIn(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => statSync(join(folder, path)).isFile())
  const hash = (path: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, path)))
      .digest('hex')
  return Object.fromEntries(paths.sort().map((path) => [path, hash(path)]))
}

/**
 * Tests that records with files are exported, imported into an empty project and exported again: equal records, bytes, names, texts, order.
 *
 * @param environment makes the environment of a project, and what is done at its end
 * @param skip why they are skipped, if they are
 */
export function testFileRoundTrips(
  place: string,
  environment: () => Promise<{ readonly env: NonNullable<CliOptions['env']>; drop(): Promise<void> }>,
  skip?: string,
): void {
  describe(`export, import, export of records with files, ${place}`, { skip }, () => {
    for (const format of FORMATS) {
      test(`${format}: bytes, names, alternative texts and order are the same`, async () => {
        const { 'seed/photo.json': seed, ...given } = seeds()
        await using source = await makeProject({ 'models/photo.yaml': MODEL, 'seed/photo.json': String(seed) })
        await using target = await makeProject({ 'models/photo.yaml': MODEL })
        mkdirSync(join(source.path, 'seed/given'))
        for (const [path, content] of Object.entries(given)) writeFileSync(join(source.path, path), content)
        const [first, second] = [await environment(), await environment()]
        try {
          const run = async (project: string, env: CliOptions['env'] & {}, ...argv: readonly string[]) => {
            const { code, stderr } = await runCli(argv, { cwd: project, env })
            assert.equal(code, 0, stderr)
            return stderr
          }
          // The first start reads the seeds.
          await run(source.path, first.env, 'import', 'photo', '-', '--format', 'csv', '--dry-run')
          const wrote = await run(source.path, first.env, 'export', 'photo', '--files', '--format', format, '-o', 'one')
          assert.equal(wrote, `Wrote 3 records to one/photo.${format}, and ${NAMES.length + 3} files beside it\n`)
          const exported = join(source.path, 'one')
          const stored = filesIn(exported)
          await run(target.path, second.env, 'import', 'photo', join(exported, `photo.${format}`), '--dry-run')
          await run(target.path, second.env, 'import', 'photo', join(exported, `photo.${format}`))
          await run(target.path, second.env, 'export', 'photo', '--files', '--format', format, '-o', 'two')
          assert.deepEqual(filesIn(join(target.path, 'two')), stored)
          if (format !== 'json') return
          const [record] = JSON.parse(readFileSync(join(exported, 'photo.json'), 'utf8')) as { papers: unknown[] }[]
          assert.deepEqual(
            record?.papers.map((each) => isObject(each) && each.name),
            NAMES,
          )
          for (const [index, name] of NAMES.entries()) {
            const paper: unknown = record?.papers[index]
            assert.ok(isObject(paper))
            assert.equal(paper.alt, index % 2 === 0 ? `Paper ${index}, “${name}”` : undefined)
            const bytes = readFileSync(join(exported, String(paper.path)))
            assert.deepEqual(bytes, Buffer.from(given[`seed/given/${index}`] ?? ''), name)
          }
        } finally {
          await first.drop()
          await second.drop()
        }
      })
    }
  })
}
