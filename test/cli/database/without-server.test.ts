import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { runCli } from '../../helpers/cli/cli.ts'
import { copyFixture, type TemporaryFolder } from '../../helpers/fixture.ts'
import { valuesOf } from '../../helpers/values-of.ts'

const PASSWORD = 'Tr0ub4dor'
/** No process listens on port 1. */
const env = {
  ADMIN_STORE: `postgres://shop:${PASSWORD}@127.0.0.1:1/shop`,
  ADMIN_SECRET_KEY: 'm7Jq0cW3v9Zt5RbN1xKf8LpYd2HsGa4EuTiOo6VhQwA=',
}
const PLACE = 'postgres://shop@127.0.0.1:1/shop, schema admin'

describe('commands whose database cannot be reached', () => {
  let project: TemporaryFolder
  before(async () => {
    project = await copyFixture('minimal')
  })
  after(() => project.remove())

  const admin = async (...argv: string[]) => {
    const result = await runCli(argv, { cwd: project.path, env })
    assert.ok(!(result.stdout + result.stderr).includes(PASSWORD), 'the password was printed')
    return result
  }

  for (const argv of [
    ['serve', '--port', '0'],
    ['export', 'note'],
    ['users', 'list'],
    ['reset', '--yes'],
    ['lint', '--data'],
  ]) {
    test(`admin ${argv.join(' ')} fails and says so`, async () => {
      const { code, stderr } = await admin(...argv)
      assert.notEqual(code, 0)
      assert.match(stderr, /The database cannot be reached/)
    })
  }

  test('admin doctor names the place and the reason', async () => {
    const { code, stdout, stderr } = await admin('doctor')
    assert.equal(code, 1)
    assert.ok(stdout.includes(`fail  connection  ${PLACE}: The database cannot be reached: `), stdout)
    assert.match(stdout, /ECONNREFUSED/)
    assert.equal(stderr, 'error Failed checks: connection\n')
    const { checks } = JSON.parse((await admin('doctor', '--json')).stdout)
    assert.deepEqual(valuesOf(checks, 'name'), ['node', 'config', 'secret', 'connection', 'lint'])
  })

  test('snapshots, compaction and repairs need no connection to be refused', async () => {
    const snapshots = `Snapshots are copies of a data folder, and the records are in ${PLACE}; save them with pg_dump, and restore them with pg_restore`
    for (const argv of [['save', 'x'], ['load', 'x'], ['list'], ['remove', 'x']]) {
      assert.deepEqual(await admin('snapshot', ...argv), { code: 2, stdout: '', stderr: `error ${snapshots}\n` })
    }
    const compact = `Only a data folder has a journal; the records are in ${PLACE}, which needs no compaction`
    assert.deepEqual(await admin('compact'), { code: 2, stdout: '', stderr: `error ${compact}\n` })
    assert.equal((await admin('doctor', '--repair', 'saved')).code, 2)
  })

  test('commands that need no records work', async () => {
    for (const argv of [['types'], ['openapi'], ['lint']]) assert.equal((await admin(...argv)).code, 0, argv.join(' '))
  })

  test('--data is refused with a database', async () => {
    const { code, stderr } = await admin('export', 'note', '--data', 'elsewhere')
    assert.equal(code, 2)
    assert.match(stderr, /--data names a data folder, which the setting 'store' does not use/)
  })

  test('commands for live changes ask for the address of a server', async () => {
    for (const argv of [['events'], ['webhooks', 'listen']]) {
      const { code, stderr } = await admin(...argv)
      assert.equal(code, 1)
      assert.match(stderr, /^error Name a server of the project with --url or ADMIN_URL/)
    }
  })
})
