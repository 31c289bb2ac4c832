import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { encodeEntry } from '../../../src/store/embedded/files/journal-format.ts'
import { runCli } from '../../helpers/cli/cli.ts'
import { copyFixture, type TemporaryFolder } from '../../helpers/fixture.ts'

interface JsonReport {
  readonly sound: boolean
  readonly tables: Record<string, number>
  readonly findings: { level: string; file: string; message: string }[]
  readonly repair?: { records: number; transactions: number; leftOut: string[] }
}

describe('admin compact and admin doctor', () => {
  let project: TemporaryFolder
  let data: string
  let file: string

  const admin = (...argv: string[]) => runCli(argv, { cwd: project.path })
  const addUser = (name: string) =>
    runCli(['users', 'add', name, '--email', `${name}@example.com`, '--password-stdin'], {
      cwd: project.path,
      stdin: 'long-enough\n',
    })

  /** Puts transactions behind what db.json holds, as a server that was killed leaves them: each renames the first user. */
  const leaveJournal = (...names: readonly string[]): string => {
    const { sequence, tables } = JSON.parse(readFileSync(file, 'utf8'))
    const [user] = tables.user.records
    const path = join(data, `journal.${sequence + 1}.log`)
    const lines = names.map((username, index) => {
      const after = { ...user, username }
      return [...encodeEntry(sequence + 1 + index, [{ table: 'user', id: 1, before: undefined, after }], new Map())].join('')
    })
    writeFileSync(path, lines.join(''))
    return path
  }
  const edit = (from: string, to: string) => {
    const text = readFileSync(file, 'utf8')
    assert.ok(text.includes(from), text)
    writeFileSync(file, text.replace(from, to))
  }
  const snapshotOf = (folder: string) => readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'latin1')])
  const report = async (...argv: string[]): Promise<JsonReport & { code: number }> => {
    const { code, stdout } = await admin('doctor', '--json', ...argv)
    return { code, ...(JSON.parse(stdout) as JsonReport) }
  }
  const userNames = async (...argv: string[]) => {
    const { stdout } = await admin('users', 'list', '--json', ...argv)
    return (JSON.parse(stdout) as { username: string }[]).map(({ username }) => username)
  }

  beforeEach(async () => {
    project = await copyFixture('minimal')
    data = join(project.path, 'data')
    file = join(data, 'db.json')
    for (const name of ['ann', 'bob', 'cyd']) await addUser(name)
  })
  afterEach(() => project.remove())

  test('compact merges the journal of a killed server, and prints sizes and records', async () => {
    leaveJournal('dan', 'eve')
    const { code, stdout, stderr } = await admin('compact')
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, /^Before: db\.json \d+ bytes, journal \d+ bytes\nAfter: {2}db\.json \d+ bytes, \d+ records\n$/)
    assert.deepEqual(readdirSync(data).sort(), ['db.json', 'secret'])
    assert.deepEqual(await userNames(), ['eve', 'bob', 'cyd'])
    const { after } = JSON.parse((await admin('compact', '--json')).stdout)
    assert.equal(after, statSync(file).size)
  })

  test('compact fails beside a server and names it; doctor names it, too', async () => {
    await runCli(['serve', '--port', '0'], {
      cwd: project.path,
      async whileRunning() {
        for (const argv of [['compact'], ['doctor', '--repair', 'saved']]) {
          const { code, stderr } = await admin(...argv)
          assert.equal(code, 1)
          assert.match(stderr, new RegExp(`in use by process ${process.pid} `))
        }
        const { code, stdout, stderr } = await admin('doctor')
        assert.deepEqual([code, stderr], [0, ''])
        assert.match(stdout, new RegExp(`^ok {4}lock {5}process ${process.pid} since 20\\S+Z, serving http://\\S+/api/v1$`, 'm'))
        assert.match(stdout, /^ok {4}journal {2}\d+ bytes, \d+ transactions?, complete$/m)
        assert.doesNotMatch(stdout, /FILE/)
      },
    })
  })

  test('neither creates files without data', async () => {
    rmSync(data, { recursive: true })
    for (const command of ['compact', 'doctor']) {
      const { code, stderr } = await admin(command)
      assert.equal(code, 1)
      assert.match(stderr, /There is no data in .* yet; start `admin serve` once/)
    }
    assert.ok(!readdirSync(project.path).includes('data'), 'a folder was made')
  })

  test('doctor prints the contents of the data folder, changes nothing, and exits 0 if it is intact', async () => {
    leaveJournal('dan')
    const before = snapshotOf(data)
    const { code, stdout, stderr } = await admin('doctor')
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(
      stdout,
      /^(?:(?:ok|warn) .*\n){7}\nFILE +BYTES +CONTENT\ndb\.json +\d+ +up to transaction \d+\njournal\.\d+\.log +\d+ +1 transaction\n/,
    )
    assert.match(stdout, /\nuser +3\n/)
    assert.match(stdout, /\nThe data is intact\.\n$/)
    assert.deepEqual(snapshotOf(data), before)
  })

  test('a hand edit that violates a model is rejected by compact, reported by doctor and accepted with --accept', async () => {
    edit('"email":"bob@example.com"', '"email":"ann@example.com"')
    edit('"username":"cyd"', '"username":7')
    const before = snapshotOf(data)
    const refused = await admin('compact')
    assert.equal(refused.code, 1)
    for (const words of [
      'error tables.user.records[1].email must be unique, and records[0] has the same (id 2, line ',
      'error tables.user.records[2].username must be a string (id 3, line ',
      'To accept it unchanged, add --accept',
    ]) {
      assert.ok(refused.stderr.includes(words), refused.stderr)
    }
    const { code, sound, findings } = await report()
    assert.deepEqual([code, sound], [1, false])
    assert.deepEqual(
      findings.map(({ level, message }) => [level, message.slice(0, 40)]),
      [
        ['warning', 'was edited since it was written: its che'],
        ['error', 'tables.user.records[1].email must be uni'],
        ['error', 'tables.user.records[2].username must be '],
      ],
    )
    assert.deepEqual(snapshotOf(data), before)
    assert.equal((await admin('compact', '--accept')).code, 0)
    const after = await report()
    assert.deepEqual([after.code, after.sound, after.findings.length], [0, true, 3])
    assert.ok(
      after.findings.every(({ level }) => level === 'warning'),
      'what is served is no error',
    )
  })

  test('an incomplete last entry is a warning', async () => {
    const path = leaveJournal('dan', 'eve')
    writeFileSync(path, readFileSync(path).subarray(0, -5))
    const before = snapshotOf(data)
    const { code, findings } = await report()
    assert.equal(code, 0)
    assert.match(
      findings[0]?.message ?? '',
      /^ends with an unfinished write, \d+ bytes from byte \d+; the next start removes it$/,
    )
    assert.deepEqual(snapshotOf(data), before)
    const { stderr } = await admin('compact')
    assert.match(stderr, /ended with an unfinished write of \d+ bytes, which is removed/)
    assert.deepEqual(await userNames(), ['dan', 'bob', 'cyd'])
  })

  test('a damaged journal is reported, and repaired into a copy up to the damage', async () => {
    const path = leaveJournal('dan', 'eve', 'fay', 'gus')
    const bytes = readFileSync(path)
    const second = bytes.indexOf('\n') + 1
    bytes.writeUInt8(bytes.readUInt8(second + 30) ^ 1, second + 30)
    writeFileSync(path, bytes)
    const before = snapshotOf(data)
    assert.equal((await admin('users', 'list')).code, 1)
    const told = await admin('doctor')
    assert.equal(told.code, 1)
    assert.ok(told.stdout.includes(`is damaged at byte ${second}, with 2 valid transactions behind it`), told.stdout)
    assert.match(told.stderr, /is damaged; --repair DIR saves all readable records into a new folder/)
    const { code, repair } = await report('--repair', 'saved')
    assert.equal(code, 1)
    assert.equal(repair?.transactions, 1)
    assert.equal(repair?.leftOut.length, 1)
    assert.deepEqual(snapshotOf(data), before)
    assert.deepEqual(await userNames('--data', 'saved'), ['dan', 'bob', 'cyd'])
    assert.deepEqual(readdirSync(join(project.path, 'saved')).sort(), ['db.json', 'secret'])
  })

  test('a db.json that is not valid JSON is saved line by line', async () => {
    edit('"username":"bob"', '"username":"bob')
    const { code, findings } = await report()
    assert.equal(code, 1)
    assert.match(findings[0]?.message ?? '', /db\.json cannot be read: line \d+, column \d+: /)
    assert.match(findings[1]?.message ?? '', /^db\.json line \d+: it is not valid JSON$/)
    const { code: repaired, repair } = await report('--repair', 'saved')
    assert.deepEqual([repaired, repair?.leftOut.length], [1, 1])
    assert.deepEqual(await userNames('--data', 'saved'), ['ann', 'cyd'])
  })

  for (const [name, change] of [
    ['one more at the end', (text: string) => text.replace(/(\{"id":3,"username".*\})\n/, '$1,\n{"id":4,"username":"dan"}\n')],
    ['two in another order', (text: string) => text.replace(/(\{"id":1,"username".*\}),\n(\{"id":2,.*\}),\n/, '$2,\n$1,\n')],
    [
      'one more, laid out otherwise',
      (text: string) => JSON.stringify(JSON.parse(text.replace('{"id":3,"username"', '{"id":9,"username"')), null, 2),
    ],
    [
      'an order that changes where the layout does',
      (text: string) => text.replace(/(\{"id":1,"username".*\}),\n(\{"id":2,.*\}),\n/, '$2,\n$1, '),
    ],
  ] as const) {
    test(`a repair saves every record of a table that was edited by hand: ${name}`, async () => {
      const text = readFileSync(file, 'utf8')
      const edited = change(text)
      assert.notEqual(edited, text)
      writeFileSync(file, edited)
      const { records, next_id } = JSON.parse(edited).tables.user
      const { code, repair } = await report('--repair', 'saved')
      assert.deepEqual([code, repair?.leftOut], [0, []])
      const saved = JSON.parse(readFileSync(join(project.path, 'saved', 'db.json'), 'utf8')).tables.user
      assert.deepEqual(
        saved.records,
        records.toSorted((a: { id: number }, b: { id: number }) => a.id - b.id),
      )
      assert.equal(saved.next_id, Math.max(next_id, ...records.map(({ id }: { id: number }) => id + 1)))
    })
  }

  test('a repair prints the next command, omitted places up to a limit, and fails if nothing was saved', async () => {
    const whole = await admin('doctor', '--repair', 'whole')
    const folder = join(project.path, 'whole')
    assert.equal(whole.code, 0)
    assert.match(whole.stdout, /\nSaved \d+ records, with 0 transactions of the journal, in /)
    assert.ok(whole.stdout.endsWith(`To use it: admin serve --data ${folder}\n`), whole.stdout)
    edit('"records": [', `"records": [${'\nnonsense,'.repeat(70)}`)
    const part = await admin('doctor', '--repair', 'part')
    assert.equal(part.code, 1)
    assert.match(part.stderr, /Not all records could be saved in .*part; review the omitted ones/)
    assert.equal(part.stdout.match(/^omitted: /gm)?.length, 50)
    assert.match(part.stdout, /\n… and 20 more\nTo use it/)
    writeFileSync(file, '')
    const none = await admin('doctor', '--repair', 'none')
    assert.equal(none.code, 1)
    assert.match(none.stderr, /No record was saved/)
    assert.match(none.stdout, /db\.json cannot be read: it is empty\./)
  })

  test('a repair of a record with a field twice takes the last, and says so', async () => {
    edit('"username":"bob"', '"username":"rob","username":"bob"')
    const { code, findings, repair } = await report('--repair', 'saved')
    assert.equal(code, 1)
    assert.match(findings[0]?.message ?? '', /line \d+: the key "username" occurs twice/)
    assert.equal(repair?.leftOut.length, 1)
    assert.match(repair?.leftOut[0] ?? '', /^db\.json line \d+: the key "username" occurs twice; only its last value is saved$/)
    assert.deepEqual(await userNames('--data', 'saved'), ['ann', 'bob', 'cyd'])
  })

  test('a path of the wrong kind is reported with a remedy', async () => {
    const atFile = await admin('doctor', '--data', 'data/db.json')
    assert.equal(atFile.code, 1)
    assert.match(atFile.stderr, /db\.json cannot be read as a data folder: .*; name a folder with --data/)
    const toFile = await admin('doctor', '--repair', 'data/db.json')
    assert.equal(toFile.code, 2)
    assert.match(toFile.stderr, /db\.json is not a readable folder: .*; name a folder that does not exist yet/)
    const below = await admin('doctor', '--repair', 'data/db.json/saved')
    assert.equal(below.code, 2)
    rmSync(file)
    mkdirSync(file)
    for (const command of ['doctor', 'compact']) {
      const { code, stderr } = await admin(command)
      assert.equal(code, 1)
      assert.match(stderr, /db\.json cannot be read: EISDIR.*; it must be a readable file/)
    }
  })

  test('a repair rejects a folder that is not empty', async () => {
    const { code, stderr } = await admin('doctor', '--repair', 'data')
    assert.equal(code, 2)
    assert.match(stderr, /is not empty; name a folder that does not exist yet/)
  })
})
