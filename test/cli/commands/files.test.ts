import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type CliResult, runCli } from '../../helpers/cli/cli.ts'
import { makeProject } from '../../helpers/fixture.ts'

const MODEL = `name: Photo
display_field: title
fields:
  - { name: title, type: string, required: true }
  - { name: papers, type: file, multiple: true }
`
const OTHER = 'name: Other\nfields:\n  - { name: paper, type: file }\n'
const USERS = '- { username: admin, email: a@example.com, password: long-enough, is_superuser: true }\n'
const DAY_MS = 86_400_000

interface Place {
  readonly run: (...argv: readonly string[]) => Promise<CliResult>
  /** Absolute path of the bytes of a hash. */
  readonly bytesOf: (sha256: string) => string
  /** Keeps bytes that nothing has. */
  readonly leave: (sha256: string, ageMs: number) => void
}

/** Runs commands in a project with a record that has two files, and an upload. */
async function inProject(place: 'without a server' | 'beside a server', work: (place: Place) => Promise<void>): Promise<void> {
  await using project = await makeProject({
    'models/photo.yaml': MODEL,
    'models/other.yaml': OTHER,
    'seed/user.yaml': USERS,
    'one.txt': 'one\n',
    'two.txt': 'two, longer\n',
    'photos.ndjson': '{"title":"A","papers":["one.txt","two.txt"]}\n',
  })
  const run = (...argv: readonly string[]) => runCli(argv, { cwd: project.path })
  const bytesOf = (sha256: string) => join(project.path, 'data/files', sha256.slice(0, 2), sha256)
  const leave = (sha256: string, ageMs: number) => {
    mkdirSync(join(bytesOf(sha256), '..'), { recursive: true })
    writeFileSync(bytesOf(sha256), 'nothing has these')
    const at = new Date(Date.now() - ageMs)
    utimesSync(bytesOf(sha256), at, at)
  }
  const inIt = async () => {
    const imported = await run('import', 'photo', 'photos.ndjson')
    assert.equal(imported.code, 0, imported.stderr)
    assert.equal((await run('upload', 'other', 'paper', 'one.txt')).code, 0)
    await work({ run, bytesOf, leave })
  }
  if (place === 'without a server') return await inIt()
  const served = await runCli(['serve', '--port', '0'], { cwd: project.path, whileRunning: inIt })
  assert.equal(served.code, 0, served.stderr)
}

const listed = async (run: Place['run'], ...argv: readonly string[]) =>
  JSON.parse((await run('files', 'list', ...argv, '--json')).stdout) as Record<string, unknown>[]

const hashOf = async (run: Place['run'], name: string) =>
  String((await listed(run, 'photo')).find((file) => file.name === name)?.sha256)

for (const place of ['without a server', 'beside a server'] as const) {
  describe(`admin files ${place}`, () => {
    test('list prints the registry, also of one model', () =>
      inProject(place, async ({ run }) => {
        const { code, stdout } = await run('files', 'list')
        assert.deepEqual(
          [code, stdout.split('\n').map((line) => line.trim().split(/ +/))],
          [
            0,
            [
              ['MODEL', 'RECORD', 'FIELD', 'STATE', 'SIZE', 'NAME'],
              ['photo', '1', 'papers', 'attached', '4', 'one.txt'],
              ['photo', '1', 'papers', 'attached', '12', 'two.txt'],
              ['other', '-', 'paper', 'pending', '4', 'one.txt'],
              [''],
            ],
          ],
        )
        const others = await listed(run, 'other')
        assert.deepEqual(
          others.map(({ model, record, state, type }) => [model, record, state, type]),
          [['other', null, 'pending', 'text/plain']],
        )
        const unknown = await run('files', 'list', 'foto')
        assert.deepEqual([unknown.code, unknown.stderr], [1, "error There is no model 'foto'; did you mean 'photo'?\n"])
      }))

    test('check names missing and damaged bytes and fails; doctor counts them', () =>
      inProject(place, async ({ run, bytesOf }) => {
        const whole = await run('files', 'check')
        assert.deepEqual([whole.code, whole.stderr], [0, ''])
        assert.match(whole.stdout, /^3 files, 2 contents of 16 bytes, .* free\n$/)
        assert.match((await run('doctor')).stdout, /^ok {4}files +3 files, 16 bytes, .* free$/m)
        const [one, two] = [await hashOf(run, 'one.txt'), await hashOf(run, 'two.txt')]
        writeFileSync(bytesOf(two), 'two, longex\n')
        rmSync(bytesOf(one))
        const { code, stdout, stderr } = await run('files', 'check')
        assert.equal(code, 1)
        assert.deepEqual(stdout.split('\n').slice(0, 3), [
          `missing 'one.txt' (photo 1, papers) ${one}`,
          `missing 'one.txt' (upload for other, paper) ${one}`,
          `damaged 'two.txt' (photo 1, papers) ${two}: the bytes have another hash`,
        ])
        assert.equal(
          stderr,
          'error The stored files have faults: 2 missing, 1 damaged; restore the bytes or the data from a backup\n',
        )
        const { found, findings } = JSON.parse((await run('files', 'check', '--json')).stdout)
        assert.deepEqual(found, { missing: 2, damaged: 1, without_record: 0, without_row: 0, unreferenced: 0 })
        assert.deepEqual(findings[2], {
          ...{ kind: 'damaged', sha256: two, model: 'photo', record: 1, field: 'papers', name: 'two.txt' },
          reason: 'the bytes have another hash',
        })
        const doctor = await run('doctor')
        assert.equal(doctor.code, 1)
        assert.match(doctor.stdout, /^fail {2}files .*; 2 missing, 1 damaged: admin files check names them$/m)
      }))
  })
}

/** SHA-256 of `nothing has these`. */
const UNREFERENCED = '61f51767c45a79a9e21e15eb52e66715fe5763d589f2cf3e7e097cd85fa0a309'

describe('admin files gc', () => {
  test('removes what a sweep removes, and with --dry-run nothing', () =>
    inProject('without a server', async ({ run, bytesOf, leave }) => {
      leave(UNREFERENCED, DAY_MS + 60_000)
      const check = await run('files', 'check')
      assert.deepEqual([check.code, check.stdout.split('\n')[0]], [0, `unreferenced ${UNREFERENCED}`])
      assert.match((await run('doctor')).stdout, /^warn {2}files .*; 1 content that no record has: /m)
      const folder = join(bytesOf(UNREFERENCED), '..')
      const dry = await run('files', 'gc', '--dry-run')
      assert.deepEqual([dry.code, dry.stdout], [0, 'Would remove 1 content of 17 bytes, 0 expired uploads, 0 released files\n'])
      assert.deepEqual(readdirSync(folder), [UNREFERENCED])
      const { code, stdout } = await run('files', 'gc', '--json')
      assert.deepEqual([code, JSON.parse(stdout)], [0, { dry_run: false, contents: 1, bytes: 17, expired: 0, released: 0 }])
      assert.deepEqual(readdirSync(folder), [])
      assert.match((await run('files', 'check')).stdout, /^3 files, 2 contents of 16 bytes, /)
    }))

  test('fails beside the server of a data folder, and works there with --dry-run', () =>
    inProject('beside a server', async ({ run }) => {
      const { code, stderr } = await run('files', 'gc')
      assert.equal(code, 1)
      assert.match(stderr, /^error .*process \d+/)
      assert.equal((await run('files', 'gc', '--dry-run')).code, 0)
    }))
})
