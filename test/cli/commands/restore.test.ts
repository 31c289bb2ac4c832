import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCli } from '../../helpers/cli/cli.ts'
import { copyFixture } from '../../helpers/fixture.ts'

test('admin restore restores a deleted record, says with --dry-run what it would do, and why it cannot', async () => {
  await using project = await copyFixture('minimal')
  const admin = (argv: readonly string[]) => runCli(argv, { cwd: project.path, stdin: 'harbour-admin-2024\n' })
  const expectRun = async (argv: readonly string[], code: number, stderr: string | RegExp) => {
    const result = await admin(argv)
    if (typeof stderr === 'string') assert.equal(result.stderr, stderr)
    else assert.match(result.stderr, stderr)
    assert.equal(result.code, code)
  }
  await writeFile(join(project.path, 'admin.config.yaml'), 'history: { days: 90 }\n')
  await writeFile(join(project.path, 'notes.csv'), 'title\r\nOne\r\n')
  assert.equal((await admin(['users', 'add', 'root', '--email', 'r@example.org', '--superuser', '--password-stdin'])).code, 0)
  assert.equal((await admin(['import', 'note', 'notes.csv'])).code, 0)
  const token = (await admin(['token'])).stdout.trim()
  await runCli(['serve', '--port', '0'], {
    cwd: project.path,
    async whileRunning(stdout) {
      const origin = /http:\/\/\S+/.exec(stdout)?.[0] ?? ''
      const headers = { authorization: `Bearer ${token}` }
      const { status } = await fetch(`${origin}/api/v1/models/note/1`, { method: 'DELETE', headers })
      assert.equal(status, 200)
      await expectRun(['restore', 'note', '1', '--dry-run'], 0, 'note 1 would be restored; nothing was changed\n')
    },
  })
  await expectRun(['restore', 'note', '1'], 0, 'Restored note 1\n')
  await expectRun(['restore', 'note', '1'], 1, /Note with ID 1 exists/)
  await expectRun(['restore', 'nope', '1'], 1, /There is no model 'nope'/)
  const { stdout } = await admin(['history', 'note', '1', '--json'])
  assert.deepEqual(
    (JSON.parse(stdout) as { via: string }[]).map(({ via }) => via),
    ['restore', 'api', 'import'],
  )
})
