import assert from 'node:assert/strict'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { processIo } from '../../../src/cli/io.ts'
import { main } from '../../../src/cli/main.ts'
import { runCli } from '../../helpers/cli/cli.ts'
import { copyFixture, type TemporaryFolder } from '../../helpers/fixture.ts'

describe('admin reset', () => {
  let project: TemporaryFolder

  const admin = (...argv: string[]) => runCli(argv, { cwd: project.path, stdin: 'long-enough\n' })
  const names = async () => {
    const { stdout } = await admin('users', 'list', '--json')
    return (JSON.parse(stdout) as { username: string }[]).map(({ username }) => username)
  }
  const notes = async () => (await admin('export', 'note', '--format', 'ndjson')).stdout.split('\n').filter(Boolean).length
  /** Answers the question of a command at a terminal. */
  const answered = async (answer: string, ...argv: string[]) => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true })
    let stderr = ''
    stdin.write(answer)
    const output = {
      write(text: string) {
        stderr += text
      },
    }
    const code = await main(argv, { ...processIo(), stdin, stdout: output, stderr: output, env: {}, cwd: project.path })
    return { code, stderr: stripVTControlCharacters(stderr) }
  }

  beforeEach(async () => {
    project = await copyFixture('minimal')
    await admin('users', 'add', 'root', '--email', 'root@example.com', '--superuser', '--password-stdin')
    await admin('mock', 'note', '--count', '3')
  })
  afterEach(() => project.remove())

  test('says what goes and keeps the accounts', async () => {
    const { code, stderr } = await admin('reset', '--yes')
    const goes = 'This deletes 3 note records; accounts stay (--accounts deletes them, too)'
    assert.deepEqual([code, stderr], [0, `${goes}\nDeleted 3 note records\n`])
    assert.deepEqual([await notes(), await names()], [0, ['root']])
    assert.match((await admin('mock', 'note', '--count', '1', '--json')).stdout, /"note":1/)
    assert.match((await admin('export', 'note', '--format', 'ndjson')).stdout, /^\{"id":1,/)
  })

  test('--seed-data keeps the accounts, of which the seed records of users would be others, unless --accounts is given', async () => {
    await mkdir(join(project.path, 'seed'))
    const ann = '- { username: ann, email: ann@example.com, password: long-enough }\n'
    await writeFile(join(project.path, 'seed/user.yaml'), ann)
    await writeFile(join(project.path, 'seed/note.yaml'), '- { title: First }\n- { title: Second }\n')
    const { stderr } = await admin('reset', '--yes', '--seed-data')
    const goes = 'This deletes 3 note records; accounts stay (--accounts deletes them, too)'
    assert.equal(stderr, `${goes}\nDeleted 3 note records; created 2 seed records\n`)
    assert.deepEqual([await notes(), await names()], [2, ['root']])
    const asked = await answered('n\r', 'reset', '--seed-data', '--accounts')
    assert.equal(asked.code, 1)
    assert.match(asked.stderr, /^This deletes 1 user record, \d+ permission records and 2 note records\nDelete\? \[y\/N\] /)
    assert.deepEqual(await names(), ['root'])
    assert.equal((await admin('reset', '--yes', '--seed-data', '--accounts')).code, 0)
    assert.deepEqual([await notes(), await names()], [2, ['ann']])
  })

  test('--accounts deletes accounts, too, and counts them', async () => {
    const { code, stderr } = await admin('reset', '--yes', '--accounts')
    assert.equal(code, 0)
    assert.match(stderr, /^This deletes 1 user record, \d+ permission records and 3 note records\n/)
    assert.deepEqual([await notes(), await names()], [0, []])
  })

  test('without users and groups, keeps the permissions', async () => {
    await admin('reset', '--yes', '--accounts')
    await writeFile(join(project.path, 'permission.csv'), 'codename,name\r\napprove_note,Approve\r\n')
    assert.equal((await admin('import', 'permission', 'permission.csv')).code, 0)
    assert.equal(
      (await admin('reset', '--yes')).stderr,
      'This deletes nothing; accounts stay (--accounts deletes them, too)\nDeleted nothing\n',
    )
    assert.match((await admin('export', 'permission')).stdout, /approve_note/)
    // The seed files may hold permissions, which would exist twice.
    assert.match((await admin('reset', '--yes', '--seed-data')).stderr, /^This deletes \d+ permission records\n/)
  })

  for (const [answer, code, left] of [
    ['\r', 1, 3],
    ['n\r', 1, 3],
    ['\u0003', 1, 3],
    ['\u0004', 1, 3],
    ['y\r', 0, 0],
    ['Yes\r', 0, 0],
  ] as const) {
    test(`at a terminal, ${JSON.stringify(answer)} ${left === 0 ? 'deletes' : 'changes nothing'}`, async () => {
      const said = await answered(answer, 'reset')
      assert.equal(said.code, code)
      assert.match(said.stderr, /^This deletes 3 note records;.*\nDelete\? \[y\/N\] /)
      assert.equal(/nothing was changed/i.test(said.stderr), left > 0, said.stderr)
      assert.equal(await notes(), left)
    })
  }

  test('--yes does not ask at a terminal', async () => {
    const { code, stderr } = await answered('', 'reset', '--yes')
    assert.equal(code, 0)
    assert.doesNotMatch(stderr, /Delete\?/)
    assert.equal(await notes(), 0)
  })

  test('names the webhooks with their secrets and the history; without a terminal it needs --yes', async () => {
    await writeFile(join(project.path, 'admin.config.yaml'), 'history: { days: 1 }\n')
    await admin('webhooks', 'add', 'http://127.0.0.1:9/hook')
    await admin('mock', 'note', '--count', '1')
    const goes = '4 note records, 1 webhook with its secret and 1 history entry'
    const says = `This deletes ${goes}; accounts stay (--accounts deletes them, too)\n`
    const refusal = 'error Nothing was changed: there is no terminal to ask at; confirm with --yes\n'
    const refused = await admin('reset')
    assert.deepEqual([refused.code, refused.stderr], [2, says + refusal])
    assert.equal(await notes(), 4)
    assert.equal((await admin('reset', '--yes')).stderr, `${says}Deleted ${goes}\n`)
    const { stdout } = await admin('webhooks', 'list', '--json')
    assert.deepEqual([await notes(), JSON.parse(stdout)], [0, []])
    assert.equal((await admin('reset')).code, 2, 'also with nothing to delete')
  })

  test('the help of reset and snapshot load names all that goes', async () => {
    for (const argv of [['reset'], ['snapshot', 'load']]) {
      const { stdout } = await admin(...argv, '--help')
      for (const word of ['records', 'history', 'webhooks', 'secrets', 'deliveries', '--yes'])
        assert.ok(stdout.includes(word), word)
    }
    assert.match((await admin('reset', '--help')).stdout, /delete all records, the history and the webhooks, keep accounts/)
  })

  test('a snapshot is loaded after a question at a terminal; elsewhere it needs --yes', async () => {
    assert.equal((await admin('snapshot', 'save', 'before')).code, 0)
    await admin('mock', 'note', '--count', '2')
    const refused = await admin('snapshot', 'load', 'before')
    assert.equal(refused.code, 2)
    assert.match(refused.stderr, /webhooks with their secrets.*\nerror Nothing was changed: .* confirm with --yes\n$/)
    const declined = await answered('n\r', 'snapshot', 'load', 'before')
    assert.equal(declined.code, 1)
    assert.match(declined.stderr, /^This replaces all records, .* by those of 'before'\nReplace\? \[y\/N\] /)
    assert.equal(await notes(), 5)
    assert.equal((await answered('y\r', 'snapshot', 'load', 'before')).code, 0)
    assert.equal(await notes(), 3)
    const unknown = await answered('', 'snapshot', 'load', 'beforr')
    assert.equal(unknown.stderr, "error There is no snapshot 'beforr'; did you mean 'before'?\n")
  })

  test('a removed snapshot is gone, and the data stays', async () => {
    for (const name of ['first', 'second']) assert.equal((await admin('snapshot', 'save', name)).code, 0)
    const { code, stdout, stderr } = await admin('snapshot', 'remove', 'first')
    assert.deepEqual([code, stdout], [0, ''])
    assert.match(stderr, /^Removed 'first' \(\d+ bytes\)\n$/)
    assert.match((await admin('snapshot', 'list')).stdout, /^NAME.*\nsecond .*\n$/)
    const again = await admin('snapshot', 'remove', 'first')
    assert.deepEqual([again.code, again.stderr], [1, "error There is no snapshot 'first' (known: second)\n"])
    assert.equal(await notes(), 3)
  })

  test('beside a server, the server deletes', async () => {
    const { code } = await runCli(['serve', '--port', '0'], {
      cwd: project.path,
      async whileRunning() {
        const { stderr } = await admin('reset', '--yes')
        assert.match(stderr, /^This deletes 3 note records; accounts stay .*\nDeleted 3 note records\n$/)
        assert.deepEqual([await notes(), await names()], [0, ['root']])
      },
    })
    assert.equal(code, 0)
  })

  test('beside a server, --seed-data takes the seed files as they are now', async () => {
    const { code } = await runCli(['serve', '--port', '0'], {
      cwd: project.path,
      async whileRunning() {
        await mkdir(join(project.path, 'seed'))
        await writeFile(join(project.path, 'seed/note.yaml'), '- { title: First }\n- { title: Second }\n')
        const { stderr } = await admin('reset', '--yes', '--seed-data')
        assert.match(stderr, /\nDeleted 3 note records; created 2 seed records\n$/)
        await writeFile(join(project.path, 'seed/nota.yaml'), '- { title: First }\n')
        const faulty = await admin('reset', '--yes', '--seed-data')
        assert.match(faulty.stderr, /^error seed\/nota\.yaml:1:1: There is no model 'nota' to seed; did you mean 'note'\?$/m)
        await rm(join(project.path, 'seed'), { recursive: true })
        assert.equal(await notes(), 2)
        assert.match((await admin('reset', '--yes', '--seed-data')).stderr, /created 0 seed records\n$/)
      },
    })
    assert.equal(code, 0)
  })
})
