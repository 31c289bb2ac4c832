import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCli } from '../../helpers/cli/cli.ts'
import { copyFixture } from '../../helpers/fixture.ts'

const JOBS = `import { defineJob } from 'admin-folder'
export default [
  defineJob({
    name: 'note',
    input: [{ name: 'title', type: 'string', required: true }],
    run: ({ title }, ctx) => ctx.model('note').create({ title }),
  }),
  defineJob({ name: 'broken', attempts: 1, run: () => { throw new Error('No paper') } }),
]
`

test('admin jobs stores jobs, runs them without a server, lists them, and lets them run again', async () => {
  await using project = await copyFixture('minimal')
  const admin = (...argv: readonly string[]) => runCli(argv, { cwd: project.path })
  const expectRun = async (argv: readonly string[], code: number, stderr: string | RegExp) => {
    const result = await admin(...argv)
    if (typeof stderr === 'string') assert.equal(result.stderr, stderr)
    else assert.match(result.stderr, stderr)
    assert.equal(result.code, code)
  }
  await expectRun(['jobs', 'list'], 1, /The project has no jobs/)
  await mkdir(join(project.path, 'jobs'))
  await writeFile(join(project.path, 'jobs/note.ts'), JOBS)
  await expectRun(['jobs', 'run', 'note', '--input', '{"title": "One"}'], 0, 'Job 1 is waiting\n')
  await expectRun(['jobs', 'run', 'note', '--input', '[]'], 2, /--input must be a JSON object/)
  await expectRun(['jobs', 'run', 'note'], 1, /title is mandatory/)
  await expectRun(['jobs', 'run', 'nota'], 1, /There is no job 'nota'; did you mean 'note'/)
  await expectRun(['jobs', 'drain'], 0, 'No job is waiting\n')
  const { stdout } = await admin('export', 'note', '--fields', 'title')
  assert.equal(stdout, 'id,title\r\n1,One\r\n')
  await expectRun(['jobs', 'run', 'broken'], 0, 'Job 2 is waiting\n')
  await expectRun(['jobs', 'drain'], 1, /job 2 \(broken\) failed, attempt 1; jobs\/note\.ts:\d+ broken: No paper/)
  await expectRun(['jobs', 'drain', '--ignore-failed'], 0, 'No job is waiting\n')
  const list = await admin('jobs', 'list')
  assert.match(list.stdout, /^ID +NAME +STATUS +ATTEMPT +AT +ERROR\n2 +broken +failed +1 .*\n1 +note +done +1 /)
  await expectRun(['jobs', 'retry', '1'], 0, 'Job 1 is waiting\n')
  await expectRun(['jobs', 'retry', '9'], 1, /There is no job 9/)
  const waiting = await admin('jobs', 'list', '--status', 'waiting', '--json')
  assert.deepEqual(
    JSON.parse(waiting.stdout).map(({ id }: { id: number }) => id),
    [1],
  )
})

test('admin jobs drain does not wait for jobs that the project has no more, and names them', async () => {
  await using project = await copyFixture('minimal')
  const admin = (...argv: readonly string[]) => runCli(argv, { cwd: project.path })
  await mkdir(join(project.path, 'jobs'))
  await writeFile(join(project.path, 'jobs/note.ts'), JOBS)
  for (const title of ['One', 'Two']) await admin('jobs', 'run', 'note', '--input', JSON.stringify({ title }))
  await writeFile(join(project.path, 'jobs/note.ts'), JOBS.replace("'note'", "'memo'"))
  const { stderr, code } = await admin('jobs', 'drain', '--timeout', '0')
  const warning = 'Warning: 2 jobs not run, since the project has no more such jobs: note\n'
  assert.deepEqual([stderr, code], [`${warning}No job is waiting\n`, 0])
  const { stdout } = await admin('jobs', 'list', '--name', 'note', '--json')
  assert.deepEqual(
    JSON.parse(stdout).map(({ status }: { status: string }) => status),
    ['waiting', 'waiting'],
  )
})
