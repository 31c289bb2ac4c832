import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type CliResult, runCli } from '../../helpers/cli/cli.ts'
import { copyFixture, type TemporaryFolder } from '../../helpers/fixture.ts'

const MOMENT = '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z'
const HEADINGS = 'AT +RECORD +ACTION +USER +VIA +CHANGES\n'

describe('admin history', () => {
  let project: TemporaryFolder

  const admin = (argv: readonly string[], env: Record<string, string> = {}): Promise<CliResult> =>
    runCli(argv, { cwd: project.path, stdin: 'long-enough\n', env })

  before(async () => {
    project = await copyFixture('minimal')
    await writeFile(join(project.path, 'admin.config.yaml'), 'history: { days: 90 }\n')
    await writeFile(
      join(project.path, 'notes.csv'),
      'title,body\r\nOne,\r\nTwo,\u001b[31m and a text that is longer than thirty\r\n',
    )
    await writeFile(join(project.path, 'more.csv'), `title\r\n${Array.from({ length: 120 }, (_, n) => `n${n}`).join('\r\n')}\r\n`)
    assert.equal((await admin(['import', 'note', 'notes.csv'])).code, 0)
  })
  after(() => project.remove())

  test('prints the changes of a record, with untrusted text escaped and long values cut', async () => {
    const { code, stdout, stderr } = await admin(['history', 'note', '2'])
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, new RegExp(`^${HEADINGS}${MOMENT} +2 +create +- +import +title: null → "Two", body: null → "`))
    assert.ok(!stdout.includes('\u001b') && !stdout.includes('thirty'), stdout)
  })

  test('prints changes of all records of the model, by filters, order and limit', async () => {
    assert.equal((await admin(['import', 'note', 'more.csv'])).code, 0)
    const records = async (...more: string[]) => {
      const { code, stdout, stderr } = await admin(['history', 'note', '--json', ...more])
      assert.equal(code, 0, stderr)
      return (JSON.parse(stdout) as { record_id: number }[]).map(({ record_id: id }) => id)
    }
    assert.deepEqual(await records('--limit', '2'), [122, 121])
    assert.deepEqual((await records('--limit', '120')).slice(-2), [4, 3], 'several pages of the API')
    assert.deepEqual(await records('--sort-by', 'record_id', '--sort-order', 'asc', '--limit', '2'), [1, 2])
    assert.deepEqual(await records('--filters', 'record_id__in=1,2', 'action=create'), [2, 1])
    assert.deepEqual(await records('--filters', 'action=delete'), [])
    const { stderr } = await admin(['history', 'note'])
    assert.equal(stderr, '122 changes; 20 are shown (--limit shows more)\n')
    assert.equal((await admin(['history', 'note', '--limit', '1'])).stderr, '122 changes; 1 is shown (--limit shows more)\n')
  })

  test('works beside a server, which it calls', async () => {
    const { code } = await runCli(['serve', '--port', '0'], {
      cwd: project.path,
      async whileRunning() {
        assert.equal((await admin(['users', 'add', 'ann', '--email', 'a@example.com', '--password-stdin'])).code, 0)
        const { stdout } = await admin(['history', 'user', '1'])
        assert.match(stdout, new RegExp(`^${HEADINGS}${MOMENT} +1 +create +- +cli +.*password: changed`))
      },
    })
    assert.equal(code, 0)
  })

  test('explains unknown names, wrong limits, and a history that is off', async () => {
    for (const [argv, status, message] of [
      [['notes'], 1, /There is no model 'notes'; did you mean 'note'\?/],
      [['notes', '1'], 1, /There is no model 'notes'; did you mean 'note'\?/],
      [['note', '999'], 1, /Note with ID 999 does not exist/],
      [['note', 'x'], 2, /An id is a whole number/],
      [['note', '--limit', '0'], 2, /The limit is a whole number from 1 to 1000/],
      [['note', '--filters', 'acton=create'], 1, /did you mean 'action'/],
    ] as const) {
      const { code, stdout, stderr } = await admin(['history', ...argv])
      assert.deepEqual([code, stdout], [status, ''], stderr)
      assert.match(stderr, message)
    }
    await writeFile(join(project.path, 'admin.config.yaml'), '{}\n')
    const { code, stderr } = await admin(['history', 'note'])
    assert.equal(code, 1)
    assert.match(stderr, /is not recorded; the setting `history: \{ days: 90 \}` turns it on/)
  })
})
