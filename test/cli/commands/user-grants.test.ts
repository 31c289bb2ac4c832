import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { type CliResult, runCli } from '../../helpers/cli/cli.ts'
import { copyFixture, type TemporaryFolder } from '../../helpers/fixture.ts'

const GROUPS = `- { name: editors, permissions: [1, 2] }
- { name: readers, permissions: [1] }
`
const PERMISSIONS = `- { codename: view_note }
- { codename: add_note }
`

describe('admin users grant, revoke and show', () => {
  let project: TemporaryFolder

  const admin = (...argv: string[]): Promise<CliResult> => runCli(argv, { cwd: project.path, stdin: 'long-enough\n' })

  beforeEach(async () => {
    project = await copyFixture('minimal')
    mkdirSync(join(project.path, 'seed'))
    writeFileSync(join(project.path, 'seed/group.yaml'), GROUPS)
    writeFileSync(join(project.path, 'seed/permission.yaml'), PERMISSIONS)
    await admin('users', 'add', 'ann', '--email', 'ann@example.com', '--password-stdin')
  })
  afterEach(() => project.remove())

  test('show names where each effective permission comes from', async () => {
    assert.deepEqual(
      await admin('users', 'grant', 'ann', 'change_note', 'view_note', '--group', 'editors', '--group', 'readers'),
      { code: 0, stdout: '', stderr: "Granted change_note, view_note, group editors, group readers to 'ann'\n" },
    )
    const { stdout } = await admin('users', 'show', 'ann')
    const lines = [
      'ID  USERNAME  EMAIL            ACTIVE  SUPERUSER  GROUPS',
      '1   ann       ann@example.com  yes     no         editors, readers',
      '',
      'PERMISSION   FROM',
      'add_note     editors',
      'change_note  own',
      'view_note    own, editors, readers',
      '',
    ]
    assert.equal(stdout, lines.join('\n'))
    const shown = JSON.parse((await admin('users', 'show', 'ann', '--json')).stdout)
    assert.deepEqual([shown.username, shown.groups], ['ann', ['editors', 'readers']])
    assert.deepEqual(shown.permissions[2], { permission: 'view_note', own: true, groups: ['editors', 'readers'] })
    assert.equal('password' in shown, false)
  })

  test('a grant keeps what the user has, and a revoke takes only what it names', async () => {
    await admin('users', 'grant', 'ann', 'view_note', 'add_note')
    await admin('users', 'grant', 'ann', 'view_note', 'change_note')
    assert.equal((await admin('users', 'revoke', 'ann', 'add_note')).code, 0)
    await admin('users', 'grant', 'ann', '--group', 'editors')
    assert.match((await admin('users', 'revoke', 'ann', '--group', 'editors')).stderr, /^Revoked group editors from 'ann'\n$/)
    const { stdout } = await admin('users', 'show', 'ann')
    assert.match(stdout, /no +-\n\nPERMISSION +FROM\nchange_note +own\nview_note +own\n$/)
  })

  for (const [what, argv, code, says] of [
    [
      'a permission with a typing error',
      ['grant', 'ann', 'view_nte'],
      1,
      /There is no permission 'view_nte'; did you mean 'view_note'\?/,
    ],
    ['an unknown group', ['grant', 'ann', '--group', 'crew'], 1, /There is no group 'crew' \(known: editors, readers\)/],
    ['an unknown user', ['grant', 'bob', 'view_note'], 1, /There is no user 'bob'; see `admin users list`/],
    ['an unknown user to show', ['show', 'bob'], 1, /There is no user 'bob'/],
    ['nothing to grant', ['grant', 'ann'], 2, /Name permissions, such as view_post, or groups with --group/],
    [
      'what the user does not hold',
      ['revoke', 'ann', 'view_note'],
      1,
      /does not hold 'view_note' directly; .*`admin users show`/,
    ],
  ] as const) {
    test(`${what} is an error, and nothing changes`, async () => {
      const result = await admin('users', ...argv)
      assert.deepEqual([result.code, result.stdout], [code, ''])
      assert.match(result.stderr, says)
      assert.doesNotMatch((await admin('users', 'show', 'ann')).stdout, /PERMISSION/)
    })
  }

  test('show says that a superuser has all permissions', async () => {
    await admin('users', 'add', 'root', '--email', 'root@example.com', '--superuser', '--password-stdin')
    assert.match((await admin('users', 'show', 'root')).stdout, /\nA superuser has all permissions\.\n$/)
  })
})
