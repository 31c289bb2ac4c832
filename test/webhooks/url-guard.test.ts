import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { describe, test } from 'node:test'
import { BlockedAddress, UrlGuard } from '../../src/webhooks/url-guard.ts'

/** Private addresses in every spelling. */
const PRIVATE_URLS = [
  'http://127.0.0.1/',
  'http://127.255.255.254:8080/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://127.1/',
  'http://①②⑦.0.0.1/',
  'http://[::1]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[::ffff:10.1.2.3]/',
  'http://10.1.2.3/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.168.1.1/',
  'http://[fc00::1]/',
  'http://[fdff::1]/',
]

/** Addresses that are always blocked. */
const NEVER_URLS = [
  'http://0.0.0.0/',
  'http://0/',
  'http://[::]/',
  'http://169.254.169.254/latest/meta-data/',
  'http://2852039166/',
  'http://[::ffff:169.254.169.254]/',
  'http://[fe80::1]/',
  'http://100.64.0.1/',
  'http://224.0.0.1/',
  'http://[ff02::1]/',
  'http://255.255.255.255/',
  'http://240.0.0.1/',
  'http://192.0.2.1/',
  'http://198.18.0.1/',
  'http://[64:ff9b::127.0.0.1]/',
  'http://[::127.0.0.1]/',
  'http://[4000::1]/',
  'http://[2002:7f00:1::]/',
  'http://[2001:db8::1]/',
  // Metadata of AWS, Google Cloud, Oracle Cloud, Scaleway, Akamai and Azure.
  'http://[fd00:ec2::254]/latest/meta-data/',
  'http://[fd00:0ec2:0:0::23]/v1/credentials',
  'http://[fd20:ce::254]/computeMetadata/v1/',
  'http://[fd00:c1::a9fe:a9fe]/',
  'http://[fd00:42::42]/',
  'http://[fd00:a9fe:a9fe::1]/',
  'http://168.63.129.16/',
  'http://[::ffff:168.63.129.16]/',
  'http://100.100.100.200/latest/meta-data/',
  'http://192.0.0.192/',
]

const PUBLIC_URLS = [
  'http://8.8.8.8/',
  'http://134744072/',
  'http://[2606:4700::1111]/',
  'https://hooks.example/',
  'http://172.32.0.1/',
]

const addresses = (...list: string[]): LookupAddress[] =>
  list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

/** The result of `lookup`, as the connection gets it. */
const lookedUp = (guard: UrlGuard, name: string, options: object = { all: true }) =>
  new Promise<unknown>((resolve, reject) => {
    guard.lookup(name, options, (error, found) => (error === null ? resolve(found) : reject(error)))
  })

describe('addresses in a URL', () => {
  const closed = new UrlGuard(false)
  const open = new UrlGuard(true)

  for (const url of PRIVATE_URLS) {
    test(`${url} is private`, () => {
      assert.match(closed.problemOf(new URL(url)) ?? '', /webhooks call only with `webhooks: \{allow_private: true\}`/)
      assert.equal(open.problemOf(new URL(url)), undefined)
    })
  }

  for (const url of NEVER_URLS) {
    test(`${url} is always blocked`, () => {
      assert.match(closed.problemOf(new URL(url)) ?? '', /webhooks never call/)
      assert.match(open.problemOf(new URL(url)) ?? '', /webhooks never call/)
    })
  }

  for (const url of PUBLIC_URLS) test(`${url} is allowed`, () => assert.equal(closed.problemOf(new URL(url)), undefined))
})

describe('resolved addresses', () => {
  test('are the checked ones', async () => {
    const guard = new UrlGuard(false, async () => addresses('93.184.216.34', '2606:4700::1111'))
    assert.deepEqual(await lookedUp(guard, 'hooks.example'), addresses('93.184.216.34', '2606:4700::1111'))
    assert.equal(await lookedUp(guard, 'hooks.example', {}), '93.184.216.34')
    assert.deepEqual(await lookedUp(guard, 'hooks.example', { all: true, family: 6 }), addresses('2606:4700::1111'))
  })

  test('are blocked if one of them is private, and the error names the setting', async () => {
    const guard = new UrlGuard(false, async () => addresses('93.184.216.34', '::ffff:10.0.0.7'))
    await assert.rejects(lookedUp(guard, 'hooks.example'), (error: Error) => {
      assert.ok(error instanceof BlockedAddress, String(error))
      assert.match(error.message, /^hooks\.example leads to ::ffff:10\.0\.0\.7, a private address, .*allow_private: true/)
      return true
    })
  })

  test('are checked each time: a name that resolves differently the second time is blocked', async () => {
    const answers = [addresses('93.184.216.34'), addresses('127.0.0.1')]
    const guard = new UrlGuard(false, async () => answers.shift() ?? [])
    await lookedUp(guard, 'rebind.example')
    await assert.rejects(lookedUp(guard, 'rebind.example'), /rebind\.example leads to 127\.0\.0\.1/)
    await assert.rejects(lookedUp(guard, 'rebind.example'), /has no address/)
  })

  test('may be private if the settings allow it', async () => {
    const guard = new UrlGuard(true, async () => addresses('127.0.0.1'))
    assert.deepEqual(await lookedUp(guard, 'localhost'), addresses('127.0.0.1'))
  })
})
