import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { publicUrl } from '../../src/config/account-settings.ts'
import { resolveSettings } from '../../src/config/settings.ts'
import { flatSource } from '../../src/config/source.ts'
import { linesOf } from './marks.ts'

const MAIL = { from: 'Shop <no-reply@example.com>', smtp: 'smtp://shop@mail.example.com:587' }

function resolve(value: object, env: Readonly<Record<string, string>> = {}) {
  const { settings, faults, warnings } = resolveSettings({ value, source: flatSource('admin.config.yaml') }, env, {})
  return { settings, lines: linesOf(faults.list).join('\n'), warnings }
}

describe('the setting public_url', () => {
  for (const [given, kept] of [
    ['https://admin.example.com', 'https://admin.example.com'],
    ['https://admin.example.com/', 'https://admin.example.com'],
    ['https://admin.example.com:8443', 'https://admin.example.com:8443'],
    ['http://localhost:8000', 'http://localhost:8000'],
    ['http://[::1]:8000', 'http://[::1]:8000'],
  ] as const) {
    test(`takes ${given}`, () => {
      const { settings, lines, warnings } = resolve({ public_url: given })
      assert.deepEqual([settings.public_url, lines, warnings], [kept, '', []])
    })
  }

  for (const given of [
    ...['admin.example.com', 'https://admin.example.com/path', 'https://admin.example.com?a', 'https://admin.example.com#a'],
    ...['https://user@admin.example.com', 'ftp://admin.example.com', 'HTTPS://ADMIN.example.com', 'https://', '//a.example'],
    ...['https://admin.example.com:443', 'https://admin.example.com//', 'javascript:alert(1)'],
  ]) {
    test(`refuses ${given}`, () =>
      assert.match(resolve({ public_url: given }).lines, /'public_url' must be the address .*without a path/))
  }

  test('is set by the environment', () => {
    assert.equal(resolve({}, { ADMIN_PUBLIC_URL: 'https://a.example' }).settings.public_url, 'https://a.example')
  })

  test('warns of links that others can read', () => {
    assert.match(resolve({ public_url: 'http://admin.example.com' }).warnings.join(), /public_url begins with http:.*https/)
  })

  test('is on loopback the address that the server listens on', () => {
    assert.equal(publicUrl({ host: '127.0.0.1', port: 8000 }), 'http://127.0.0.1:8000')
    assert.equal(publicUrl({ host: '::1', port: 8000 }, 4711), 'http://[::1]:4711')
    assert.equal(publicUrl({ host: '0.0.0.0', port: 8000 }), undefined)
    assert.equal(publicUrl({ host: '0.0.0.0', port: 8000, public_url: 'https://a.example' }), 'https://a.example')
  })
})

describe('the setting accounts', () => {
  test('is without resets by default, and asks for nothing', () => {
    const { settings, lines } = resolve({ host: '0.0.0.0' })
    assert.deepEqual([settings.accounts, lines], [{ password_reset: false, two_factor: 'optional', log_days: 90 }, ''])
  })

  test('lets resets be turned on with mail', () => {
    const { settings, lines } = resolve({ mail: MAIL, accounts: { password_reset: true, log_days: 7 } })
    assert.deepEqual([settings.accounts, lines], [{ password_reset: true, two_factor: 'optional', log_days: 7 }, ''])
  })

  test('names the remedy without mail', () => {
    assert.match(
      resolve({ accounts: { password_reset: true } }).lines,
      /'accounts.password_reset' needs 'mail'.*ADMIN_MAIL__FROM/,
    )
    const { lines } = resolve({}, { ADMIN_ACCOUNTS__PASSWORD_RESET: 'true' })
    assert.match(lines, /environment ADMIN_ACCOUNTS.*needs 'mail'/)
  })

  test('names the remedy where the address of links is not known', () => {
    const open = { host: '0.0.0.0', mail: MAIL, accounts: { password_reset: true } }
    assert.match(resolve(open).lines, /listens on 0\.0\.0\.0.*public_url: https:.*ADMIN_PUBLIC_URL/)
    assert.equal(resolve({ ...open, public_url: 'https://admin.example.com' }).lines, '')
  })

  test('refuses days that are none', () => {
    for (const log_days of [0, 1.5, 36_501, 'x']) assert.match(resolve({ accounts: { log_days } }).lines, /log_days/)
  })
})
