import assert from 'node:assert/strict'
import { access, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { runCli } from '../../helpers/cli/cli.ts'
import { startServer } from '../../helpers/cli/process.ts'
import { temporaryFolder } from '../../helpers/fixture.ts'
import { SECRET_KEY } from '../../helpers/postgres/cli-project.ts'
import { newSchema } from '../../helpers/postgres/schemas.ts'
import { NO_POSTGRES, serverAddress, sharedDatabase } from '../../helpers/postgres/server.ts'

describe('admin init with ADMIN_STORE', { skip: NO_POSTGRES }, () => {
  test('stores the account in the database: its password works on the served project', async () => {
    await using folder = await temporaryFolder()
    const { schema, drop } = newSchema(await sharedDatabase())
    const store = { ADMIN_STORE: await serverAddress(), ADMIN_STORE__SCHEMA: schema }
    const env = { ...store, ADMIN_SECRET_KEY: SECRET_KEY }
    try {
      const withoutKey = await runCli(['init', 'shop'], { cwd: folder.path, env: store })
      assert.deepEqual([withoutKey.code, withoutKey.stdout], [2, ''])
      assert.match(withoutKey.stderr, /'secret_key' must be set with a database as 'store'.*ADMIN_SECRET_KEY/)

      const made = await runCli(['init', 'shop', '--json'], { cwd: folder.path, env })
      assert.equal(made.code, 0, made.stderr)
      assert.match(made.stderr, new RegExp(`^Created a project in shop\\. Its account is in .*schema ${schema}\\. The password`))
      await assert.rejects(access(join(folder.path, 'shop/data')))

      const { username, password } = JSON.parse(made.stdout) as Record<string, string>
      await using server = await startServer(['--project', join(folder.path, 'shop')], { env })
      const body = JSON.stringify({ username, password })
      const headers = { 'content-type': 'application/json' }
      const login = await fetch(`${server.address}/api/v1/auth/token`, { method: 'POST', headers, body })
      assert.equal(login.status, 200)

      const again = await runCli(['init', 'other'], { cwd: folder.path, env })
      assert.deepEqual([again.code, again.stdout], [1, ''])
      assert.match(again.stderr, new RegExp(`schema ${schema} has the records of a project already; .*ADMIN_STORE__SCHEMA`))
      assert.deepEqual(await readdir(join(folder.path, 'other')), ['.gitignore'])
    } finally {
      await drop()
    }
  })
})
