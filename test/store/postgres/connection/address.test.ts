import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { AppError } from '../../../../src/errors.ts'
import { parseAddress } from '../../../../src/store/postgres/connection/address.ts'

const usual = { applicationName: 'admin-folder', tls: false }

const ADDRESSES = [
  ['postgres://ann@db.example:6432/app', { host: 'db.example', port: 6432, user: 'ann', database: 'app' }],
  ['postgresql://ann:p%40ss%2F@localhost/app', { host: 'localhost', user: 'ann', password: 'p@ss/', database: 'app' }],
  ['postgres:///app?host=/run/postgresql', { host: '/run/postgresql', database: 'app' }],
  ['postgres://ann@/app?host=/tmp/x&port=7', { host: '/tmp/x', port: 7, user: 'ann', database: 'app' }],
  ['postgres://%2Ftmp%2Fx/app', { host: '/tmp/x', database: 'app' }],
  [
    'postgres://localhost?dbname=app&user=bob&application_name=test',
    { host: 'localhost', database: 'app', user: 'bob', applicationName: 'test' },
  ],
] as const

for (const [address, expected] of ADDRESSES) {
  test(`${address} is parsed`, () => assert.deepEqual(parseAddress(address), { ...usual, ...expected }))
}

const FAULTS = [
  ['mysql://localhost/app', /must have the form postgres:/],
  ['localhost', /must have the form postgres:/],
  ['postgres://localhost/app?sslmod=require', /Unknown parameter 'sslmod'.*sslmode/],
  ['postgres://localhost/app?sslmode=prefer', /sslmode 'prefer'.*verify-full/],
  ['postgres://localhost/app?sslmode=verify-ca&sslrootcert=/no/such', /'\/no\/such'.*cannot be read/],
  ['postgres://localhost/app?port=x', /port 'x'/],
  ['postgres://localhost/%zz', /%/],
] as const

for (const [address, message] of FAULTS) {
  test(`${address} is an error`, () =>
    assert.throws(
      () => parseAddress(address),
      (error) => error instanceof AppError && error.code === 'CONFIG_INVALID' && message.test(error.message),
    ))
}

test('an error does not contain the password', () => {
  for (const address of ['postgres://ann:s3cret@local host/app', 'http://ann:s3cret@host/', 'postgres://ann:s3cret@h/a?x=1']) {
    assert.throws(
      () => parseAddress(address),
      (error) => error instanceof Error && !`${error.message} ${String(error.cause)}`.includes('s3cret'),
    )
  }
})

test('sslmode decides on encryption, certificate and host name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tls-'))
  const file = join(folder, 'root.pem')
  writeFileSync(file, 'certificate')
  const tlsOf = (parameters: string) => {
    const { tls } = parseAddress(`postgres://localhost/app?${parameters}`)
    return tls === false ? false : { ...tls, checkServerIdentity: tls.checkServerIdentity === undefined ? 'checked' : 'ignored' }
  }
  assert.equal(tlsOf('sslmode=disable'), false)
  assert.deepEqual(tlsOf('sslmode=require'), { rejectUnauthorized: false, checkServerIdentity: 'ignored' })
  assert.deepEqual(tlsOf(`sslmode=require&sslrootcert=${file}`), {
    rejectUnauthorized: true,
    checkServerIdentity: 'ignored',
    ca: 'certificate',
  })
  assert.deepEqual(tlsOf('sslmode=verify-ca'), { rejectUnauthorized: true, checkServerIdentity: 'ignored' })
  assert.deepEqual(tlsOf('sslmode=verify-full&sslrootcert=system'), { rejectUnauthorized: true, checkServerIdentity: 'checked' })
  await rm(folder, { recursive: true })
})
