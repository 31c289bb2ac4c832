import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCli } from '../../helpers/cli/cli.ts'
import { copyFixture } from '../../helpers/fixture.ts'

const ACTIONS = `- model: Note
  name: rename
  title: Rename
  when: self.title != "Two"
  input:
    - { name: to, type: string, required: true }
  set: { title: { input: to } }
`

test('admin action performs an action on records, says with --dry-run what it would do, and why it cannot', async () => {
  await using project = await copyFixture('minimal')
  const admin = (argv: readonly string[]) => runCli(argv, { cwd: project.path })
  const expectRun = async (argv: readonly string[], code: number, stderr: string | RegExp) => {
    const result = await admin(argv)
    if (typeof stderr === 'string') assert.equal(result.stderr, stderr)
    else assert.match(result.stderr, stderr)
    assert.equal(result.code, code)
  }
  await mkdir(join(project.path, 'actions'))
  await writeFile(join(project.path, 'actions/note.yaml'), ACTIONS)
  await writeFile(join(project.path, 'notes.csv'), 'title\r\nOne\r\nTwo\r\nThree\r\n')
  assert.equal((await admin(['import', 'note', 'notes.csv'])).code, 0)
  const input = ['--input', '{"to": "New"}']
  await expectRun(['action', 'note', 'rename', '1', ...input, '--dry-run'], 0, 'Rename: 1 record; nothing was changed\n')
  await expectRun(['action', 'note', 'rename', '1', '3', ...input], 0, 'Rename: 2 records\n')
  await expectRun(['action', 'note', 'rename', '2', ...input], 1, /not possible for Note with ID 2/)
  await expectRun(['action', 'note', 'rename', '1'], 1, /to is mandatory/)
  await expectRun(['action', 'note', 'rename', '1', '--input', '[]'], 2, /--input must be a JSON object/)
  await expectRun(['action', 'note', 'renam', '1'], 1, /Note has no action 'renam'; did you mean 'rename'/)
  await expectRun(['action', 'nope', 'rename', '1'], 1, /There is no model 'nope'/)
  const { stdout } = await admin(['export', 'note', '--fields', 'title'])
  assert.equal(stdout, 'id,title\r\n1,New\r\n2,Two\r\n3,New\r\n')
  const completed = await admin(['complete', '--', 'action', 'note', ''])
  assert.equal(completed.stdout, 'rename\t\n')
})
