import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { resolveSettings } from '../../src/config/settings.ts'
import { flatSource } from '../../src/config/source.ts'
import { linesOf } from './marks.ts'

const GOOGLE = { name: 'google', issuer: 'https://accounts.google.com', client_id: 'admin.apps.example' }
const ENTRA = 'https://login.microsoftonline.com'

function resolve(
  providers: readonly object[],
  { env = {}, ...others }: { env?: Readonly<Record<string, string>>; [key: string]: unknown } = {},
) {
  const value = { accounts: { providers }, ...others }
  const { settings, faults } = resolveSettings({ value, source: flatSource('admin.config.yaml') }, env, {})
  return { providers: settings.accounts.providers, lines: linesOf(faults.list).join('\n') }
}

describe('the setting accounts.providers', () => {
  test('is absent by default', () => assert.deepEqual(resolve([]), { providers: [], lines: '' }))

  test('has defaults', () =>
    assert.deepEqual(resolve([GOOGLE]), {
      providers: [{ ...GOOGLE, title: 'google', create: false, link: 'explicit' }],
      lines: '',
    }))

  test('has its secrets in the environment', () => {
    const entra = { name: 'our-entra', issuer: `${ENTRA}/0b8f7c2e/v2.0`, client_id: 'b' }
    const env = {
      ADMIN_ACCOUNTS__PROVIDERS__GOOGLE__CLIENT_SECRET: 'one',
      ADMIN_ACCOUNTS__PROVIDERS__OUR_ENTRA__CLIENT_SECRET: 'two',
    }
    const { providers, lines } = resolve([{ ...GOOGLE, client_secret: 'former' }, entra], { env })
    assert.deepEqual([providers?.map(({ client_secret: secret }) => secret), lines], [['one', 'two'], ''])
  })

  for (const [variable, message] of [
    [
      'ADMIN_ACCOUNTS__PROVIDERS__GOGLE__CLIENT_SECRET',
      /is no secret of a provider; did you mean 'ADMIN_ACCOUNTS__PROVIDERS__GOOGLE__CLIENT_SECRET'/,
    ],
    ['ADMIN_ACCOUNTS__PROVIDERS__GOOGLE__ISSUER', /is no secret of a provider.*stand in the file/],
    ['ADMIN_ACCOUNTS__PROVIDERS', /is no secret of a provider/],
  ] as const) {
    test(`refuses the variable ${variable}, without its value`, () => {
      const { lines } = resolve([GOOGLE], { env: { [variable]: 'hush-hush' } })
      assert.match(lines, message)
      assert.doesNotMatch(lines, /hush/)
    })
  }

  test('needs the public address where others reach the server', () => {
    assert.match(
      resolve([GOOGLE], { host: '0.0.0.0' }).lines,
      /'accounts\.providers' needs the address .*listens on 0\.0\.0\.0; add `public_url/,
    )
    assert.equal(resolve([GOOGLE], { host: '0.0.0.0', public_url: 'https://admin.example.com' }).lines, '')
  })

  for (const issuer of [
    ...[
      'https://accounts.google.com',
      'https://id.example.com/',
      'https://id.example.com/realms/shop',
      'https://id.example.com:8443/a/',
    ],
    ...['http://127.0.0.1:9000', 'http://localhost:9000/realms/shop', 'http://[::1]:9000', `${ENTRA}/0b8f7c2e-1111/v2.0`],
  ]) {
    test(`takes the issuer ${issuer}`, () => assert.equal(resolve([{ ...GOOGLE, issuer }]).lines, ''))
  }

  for (const [issuer, message] of [
    ['accounts.google.com', /must be a URL such as/],
    ['ftp://accounts.google.com', /must be a URL such as/],
    ['http://accounts.google.com', /must begin with https/],
    ['http://127.0.0.1.example.com', /must begin with https/],
    ['https://user:hush@accounts.google.com', /must not contain a user name/],
    ['https://accounts.google.com?a', /no query/],
    ['https://accounts.google.com#a', /no query/],
    ['https://Accounts.Google.com', /must be written as the provider writes it, such as https:\/\/accounts\.google\.com/],
    ['https://accounts.google.com:443', /must be written as/],
    ['https://accounts.google.com/a/../b', /must be written as/],
    [`${ENTRA}/common/v2.0`, /must name one tenant.*\/TENANT-ID\/v2\.0/],
    [`${ENTRA}/Organizations/v2.0`, /must name one tenant/],
    [`${ENTRA}/consumers/v2.0`, /must name one tenant/],
    ['', /empty/],
  ] as const) {
    test(`refuses the issuer '${issuer}'`, () => {
      const { lines } = resolve([{ ...GOOGLE, issuer }])
      assert.match(lines, /'accounts\.providers\[0\]\.issuer'/)
      assert.match(lines, message)
    })
  }

  for (const [what, provider, message] of [
    ['without a name', { ...GOOGLE, name: undefined }, /Key 'accounts\.providers\[0\]\.name' is missing/],
    ['without a client', { ...GOOGLE, client_id: undefined }, /Key 'accounts\.providers\[0\]\.client_id' is missing/],
    ['with a name that is no part of an address', { ...GOOGLE, name: 'Our Google' }, /short name for addresses/],
    ['with the name of an address of the server', { ...GOOGLE, name: 'finish' }, /must not be 'finish'/],
    ['with an unknown key', { ...GOOGLE, client_secert: 'a' }, /Unknown key 'client_secert'; did you mean 'client_secret'/],
    ['with a domain that is none', { ...GOOGLE, domains: ['@example.com'] }, /must be a domain in lower case/],
    ['with no domain', { ...GOOGLE, domains: [] }, /must contain at least 1/],
    ['with another link', { ...GOOGLE, link: 'email' }, /must be one of \[explicit, verified_email\]/],
    ['with a text for create', { ...GOOGLE, create: 'yes' }, /write true, without quotes/],
    ['with groups without a claim', { ...GOOGLE, groups: { map: { a: 'b' } } }, /claim' is missing/],
    [
      'with an unknown key of groups',
      { ...GOOGLE, groups: { claim: 'a', map: { a: 'b' }, prefix: 'c' } },
      /Unknown key 'prefix'/,
    ],
  ] as const) {
    test(`refuses a provider ${what}`, () => assert.match(resolve([provider]).lines, message))
  }

  test('refuses duplicates', () => {
    assert.match(
      resolve([GOOGLE, { ...GOOGLE, issuer: 'https://a.example.com' }]).lines,
      /has the same name as provider 1; remove one/,
    )
    assert.match(resolve([GOOGLE, { ...GOOGLE, name: 'other' }]).lines, /has the same issuer as provider 1; remove one/)
  })
})
