import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { MailFolder } from '../../../src/mail/mail-folder.ts'
import { runCli } from '../../helpers/cli/cli.ts'
import { copyFixture } from '../../helpers/fixture.ts'

test('admin mail lists the mails that were kept, the last one first, and shows one', async () => {
  await using project = await copyFixture('minimal')
  const admin = (...argv: readonly string[]) => runCli(['mail', ...argv], { cwd: project.path })
  assert.equal((await admin()).stdout, 'NUMBER  AT  TO  SUBJECT\n')
  assert.match((await admin('last')).stderr, /^error No mail was kept\n$/)
  const folder = new MailFolder(join(project.path, 'data/mail'), 'no-reply@example.com')
  for (const [id, second] of [
    ['b', 2],
    ['a', 1],
    ['c', 3],
  ] as const) {
    await folder.send({
      to: `${id}@example.org`,
      subject: `Subject: ${id}`,
      text: `Hello ${id} \u001b[31m`,
      id,
      at: new Date(1000 * second),
    })
  }
  assert.equal(
    (await admin('--limit', '2')).stdout,
    `NUMBER  AT                        TO             SUBJECT
1       1970-01-01T00:00:03.000Z  c@example.org  Subject: c
2       1970-01-01T00:00:02.000Z  b@example.org  Subject: b
`,
  )
  assert.deepEqual(JSON.parse((await admin('--json')).stdout)[2], {
    ...{ number: 3, at: '1970-01-01T00:00:01.000Z', to: 'a@example.org', subject: 'Subject: a' },
  })
  const last = await admin('last')
  assert.match(last.stdout, /^From: no-reply@example\.com\nTo: c@example\.org\n/)
  assert.match(last.stdout, /\nMessage-ID: <c@example\.com>\n(.*\n)*\nHello c \\u001b\[31m\n$/)
  assert.equal((await admin('1')).stdout, last.stdout)
  assert.match((await admin('3')).stdout, /\nTo: a@example\.org\n/)
  assert.match((await admin('4')).stderr, /^error There is no mail 4; 3 mails are kept\n$/)
  assert.equal((await admin('first')).code, 2)
  // Another attempt writes the same file.
  await folder.send({ to: 'c@example.org', subject: 'Again', text: 'c', id: 'c', at: new Date(3000) })
  assert.equal(JSON.parse((await admin('--json')).stdout).length, 3)
})
