import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { processIo } from '../../../src/cli/io.ts'
import { main } from '../../../src/cli/main.ts'
import { runCli } from '../../helpers/cli/cli.ts'
import { copyFixture, type TemporaryFolder } from '../../helpers/fixture.ts'

const MODEL = `
extends: user
fields:
  - { name: phone, type: string, required: true, label: Phone number }
  - { name: on_call, type: boolean, required: true }
  - { name: level, type: integer, required: true, default: 1 }
  - { name: rate, type: decimal }
  - { name: since, type: date }
  - { name: badge, type: json }
`

const NEEDED = ['--set', 'phone=0301 23', '--set', 'on_call=true']

describe('accounts of a user model with required fields of its own', () => {
  let project: TemporaryFolder

  beforeEach(async () => {
    project = await copyFixture('minimal')
    await mkdir(join(project.path, 'models'), { recursive: true })
    await writeFile(join(project.path, 'models/user.yaml'), MODEL)
  })
  afterEach(() => project.remove())

  const add = (...more: string[]) =>
    runCli(['users', 'add', 'ann', '--email', 'ann@example.com', '--password-stdin', '--json', ...more], {
      cwd: project.path,
      stdin: 'long-enough\n',
    })

  test('--set gives fields: texts as they are, other values as JSON', async () => {
    const further = ['level=3', 'rate=1.50', 'since=2026-01-05', 'badge={"no": 7}', 'first_name=a=b', 'groups=[]']
    const { code, stdout, stderr } = await add(...NEEDED, ...further.flatMap((text) => ['--set', text]))
    assert.equal(code, 0, stderr)
    const { phone, on_call, level, rate, since, badge, first_name } = JSON.parse(stdout)
    assert.deepEqual(
      { phone, on_call, level, rate, since, badge, first_name },
      { phone: '0301 23', on_call: true, level: 3, rate: '1.5', since: '2026-01-05', badge: { no: 7 }, first_name: 'a=b' },
    )
  })

  test('without a terminal, missing fields are named with the option', async () => {
    const message = "error A user of this project needs 'phone', 'on_call'; use --set phone=… --set on_call=…\n"
    assert.deepEqual(await add(), { code: 2, stdout: '', stderr: message })
  })

  test('values of the server are checked as for any client', async () => {
    const { code, stderr } = await add(...NEEDED, '--set', 'since=tomorrow')
    assert.equal(code, 1)
    assert.match(stderr, /^error since /)
  })

  for (const [text, message] of [
    ['phon=1', "A user has no field 'phon'; did you mean 'phone'?"],
    ['phone', "--set takes <field>=<value>, not 'phone'"],
    ['phone=2', "--set names 'phone' twice"],
    ['level=three', "'level' of a user takes a whole number, not 'three'"],
    ['badge={', "'badge' of a user takes JSON, not '{'"],
    ['badge={"no": 9007199254740993}', "'badge.no' is a number that cannot be kept exactly: 9007199254740993"],
    ['email=b@example.com', "'email' of a user is given by --email, not by --set"],
    ['password=another-one', "'password' of a user is given by the prompt, or --password-stdin, not by --set"],
    ['id=7', "A user has no field 'id'"],
    ['last_login=2026-01-05', "A user has no field 'last_login'"],
    ['__proto__=1', "A user has no field '__proto__'"],
  ] as const) {
    test(`--set ${text} is refused`, async () => {
      const { code, stderr } = await add(...NEEDED, '--set', text)
      assert.equal(code, 2)
      assert.ok(stderr.startsWith(`error ${message}`), stderr)
    })
  }

  test('at a terminal, missing fields are asked for by their titles', async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true })
    let shown = ''
    const stderr = {
      write(text: string) {
        shown += text
        // Each answer follows its question, as a person types.
        const answers = {
          'Password: ': 'long-enough',
          'Repeat password: ': 'long-enough',
          'Phone number: ': '0301',
          'on_call: ': 'true',
        }
        for (const [label, answer] of Object.entries(answers)) {
          if (text === label) setImmediate(() => stdin.write(`${answer}\r`))
        }
      },
    }
    const argv = ['users', 'add', 'ann', '--email', 'ann@example.com', '--set', 'first_name=Ann']
    const code = await main(argv, { ...processIo(), stdin, stderr, env: {}, cwd: project.path })
    assert.equal(code, 0, shown)
    const { stdout } = await runCli(['users', 'list', '--json'], { cwd: project.path })
    const [{ phone, on_call, first_name }] = JSON.parse(stdout)
    assert.deepEqual({ phone, on_call, first_name }, { phone: '0301', on_call: true, first_name: 'Ann' })
  })

  test('accounts that lack a field that was made required can be disabled and get another password', async () => {
    await writeFile(join(project.path, 'models/user.yaml'), MODEL.replaceAll('required: true', 'required: false'))
    assert.equal((await add()).code, 0)
    await writeFile(join(project.path, 'models/user.yaml'), MODEL)
    for (const argv of [
      ['users', 'disable', 'ann'],
      ['users', 'enable', 'ann'],
      ['users', 'passwd', 'ann', '--password-stdin'],
    ]) {
      const { code, stderr } = await runCli(argv, { cwd: project.path, stdin: 'brand-new-one\n' })
      assert.equal(code, 0, stderr)
    }
  })

  const COMMAND = 'admin users add NAME --email ADDRESS --superuser --set phone=… --set on_call=…'

  test('messages about a missing superuser name the fields', async () => {
    for (const mode of [[], ['--ephemeral']]) {
      let log = ''
      await runCli(['serve', '--port', '0', '--log-format', 'text', ...mode], {
        cwd: project.path,
        async whileRunning(_, stderr) {
          for (let turns = 0; turns < 500 && !stderr().includes('superuser'); turns += 1) await new Promise(setImmediate)
          log = stderr()
        },
      })
      assert.ok(log.includes(COMMAND), log)
    }
    const token = await runCli(['token'], { cwd: project.path })
    assert.ok(token.stderr.includes(`There is no superuser yet; add one: ${COMMAND}\n`), token.stderr)
  })
})
