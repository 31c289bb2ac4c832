import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { inspect } from 'node:util'
import { AppError } from '../../../../src/errors.ts'
import { PgDatabase } from '../../../../src/store/postgres/connection/pg-database.ts'
import { sql } from '../../../../src/store/postgres/sql.ts'
import { type Cluster, startCluster } from '../../../helpers/postgres/cluster.ts'

const PASSWORD = 's3cret: wörd'

const folder = mkdtempSync(join(tmpdir(), 'certificate-'))
const [key, certificate] = [join(folder, 'server.key'), join(folder, 'server.crt')]

let cluster: Cluster

before(async () => {
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const openssl = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', certificate, ...subject]
  execFileSync('openssl', openssl, { stdio: 'ignore' })
  cluster = await startCluster({
    password: PASSWORD,
    files: { 'server.key': readFileSync(key, 'utf8'), 'server.crt': readFileSync(certificate, 'utf8') },
    settings: ['fsync=off', 'ssl=on', 'ssl_key_file=$FOLDER/server.key', 'ssl_cert_file=$FOLDER/server.crt'],
  })
})

after(async () => {
  await cluster.stop()
  rmSync(folder, { recursive: true })
})

/** Whether a new connection is encrypted, or the error. */
async function connect(address: string): Promise<string | AppError> {
  const database = new PgDatabase(address)
  try {
    const { rows } = await database.query(sql`select "ssl" from pg_stat_ssl where "pid" = pg_backend_pid()`)
    return rows[0]?.[0] === 't' ? 'encrypted' : 'plain'
  } catch (error) {
    assert.ok(error instanceof AppError, String(error))
    return error
  } finally {
    await database.close()
  }
}

const address = (password: string | undefined, parameters = '', host = '127.0.0.1') =>
  `postgres://postgres${password === undefined ? '' : `:${encodeURIComponent(password)}`}@${host}:${cluster.port}/postgres${parameters}`

/** Runs with variables of the environment. */
async function withEnvironment<T>(variables: Readonly<Record<string, string>>, body: () => Promise<T>): Promise<T> {
  Object.assign(process.env, variables)
  try {
    return await body()
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name]
  }
}

describe('the password', () => {
  test('may be part of the address', async () => {
    assert.equal(await connect(address(PASSWORD)), 'plain')
  })

  test('may come from PGPASSWORD', async () => {
    assert.equal(await withEnvironment({ PGPASSWORD: PASSWORD }, () => connect(address(undefined))), 'plain')
  })

  test('is missing: the error says where to set it', async () => {
    assert.match(String(await connect(address(undefined))), /asks for a password; set PGPASSWORD/)
  })

  test('may come from a password file', async () => {
    const file = join(folder, 'pgpass')
    writeFileSync(file, `127.0.0.1:${cluster.port}:*:postgres:${PASSWORD.replace(':', '\\:')}\n`, { mode: 0o600 })
    assert.equal(await withEnvironment({ PGPASSFILE: file }, () => connect(address(undefined))), 'plain')
  })

  test('appears in no error', async () => {
    const wrong = 'wr0ng'
    const error = await connect(address(wrong))
    assert.ok(error instanceof AppError && error.code === 'STORE_UNAVAILABLE')
    assert.match(String(error.cause), /password authentication failed/)
    assert.doesNotMatch(inspect(error, { depth: 9, showHidden: true }), /wr0ng/)
    assert.doesNotMatch(inspect(new PgDatabase(address(wrong)), { depth: 9 }), /wr0ng/)
  })
})

describe('sslmode', () => {
  const cases = [
    ['disable', 'localhost', 'plain'],
    ['require', '127.0.0.1', 'encrypted'],
    ['verify-ca', '127.0.0.1', 'encrypted'],
    ['verify-full', 'localhost', 'encrypted'],
    ['verify-full', '127.0.0.1', /does not match/],
  ] as const
  for (const [mode, host, expected] of cases) {
    test(`${mode} at ${host}: ${typeof expected === 'string' ? expected : 'the certificate is of another host'}`, async () => {
      const root = mode.startsWith('verify') ? `&sslrootcert=${certificate}` : ''
      const found = await connect(address(PASSWORD, `?sslmode=${mode}${root}`, host))
      if (typeof expected === 'string') assert.equal(found, expected)
      else assert.match(String(found instanceof AppError ? found.cause : found), expected)
    })
  }

  test('verify-ca refuses a certificate of an unknown authority', async () => {
    const found = await connect(address(PASSWORD, '?sslmode=verify-ca'))
    assert.match(String(found instanceof AppError ? found.cause : found), /self-signed certificate/)
  })

  test('a statement is cancelled over an encrypted connection', async () => {
    const parameters = `?sslmode=verify-full&sslrootcert=${certificate}`
    const database = new PgDatabase(address(PASSWORD, parameters, 'localhost'), { statementTimeout: 200 })
    const start = performance.now()
    await assert.rejects(database.query(sql`select pg_sleep(60)`), /longer than 0.2 s/)
    // A connection that is cut, since the request failed, ends after the grace period.
    assert.ok(performance.now() - start < 2000)
    await database.close()
  })
})
