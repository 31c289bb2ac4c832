import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { senderIn } from '../../src/config/mail-settings.ts'
import { resolveSettings } from '../../src/config/settings.ts'
import { flatSource } from '../../src/config/source.ts'
import { linesOf } from './marks.ts'

const FROM = 'Shop <no-reply@example.com>'
const SMTP = 'smtp://shop@mail.example.com:587'

function resolve(mail: unknown, env: Readonly<Record<string, string>> = {}, host = '127.0.0.1') {
  const value = { host, ...(mail === undefined ? {} : { mail }) }
  const { settings, faults } = resolveSettings({ value, source: flatSource('admin.config.yaml') }, env, {})
  return { mail: settings.mail, lines: linesOf(faults.list).join('\n') }
}

describe('the setting mail', () => {
  test('is off by default', () => assert.deepEqual(resolve(undefined), { mail: undefined, lines: '' }))

  test('has its password in the environment', () => {
    const { mail, lines } = resolve({ from: FROM, smtp: SMTP }, { ADMIN_MAIL__PASSWORD: 'Tr0ub4dor' }, '0.0.0.0')
    assert.deepEqual([mail, lines], [{ from: FROM, smtp: SMTP, password: 'Tr0ub4dor' }, ''])
  })

  test('may be in the environment as a whole', () => {
    const { mail, lines } = resolve(undefined, { ADMIN_MAIL__FROM: FROM, ADMIN_MAIL__SMTP: SMTP })
    assert.deepEqual([mail, lines], [{ from: FROM, smtp: SMTP }, ''])
  })

  test('needs a mail server where others reach the server', () => {
    assert.match(
      resolve({ from: FROM }, {}, '0.0.0.0').lines,
      /'mail' has no smtp, and the server listens on 0\.0\.0\.0: .*ADMIN_MAIL__SMTP/,
    )
    for (const host of ['127.0.0.1', 'localhost', '::1', '127.3.2.1']) assert.equal(resolve({ from: FROM }, {}, host).lines, '')
  })

  test('needs a sender', () => assert.match(resolve({ smtp: SMTP }).lines, /'mail' has no from; add .*ADMIN_MAIL__FROM/))

  for (const from of [
    'Shop',
    'a@b\r\nBcc: c@d',
    'a@b, c@d',
    'Shop\n <a@b>',
    'Shop <a@b',
    '"Shop" <a@b>',
    'mıke@example.com',
    '',
  ]) {
    test(`refuses the sender ${JSON.stringify(from)}`, () =>
      assert.match(resolve({ from }).lines, /from.*(must be an address|empty)/))
  }

  for (const smtp of [
    ...[
      'mail.example.com',
      'http://mail.example.com',
      'smtp://',
      'smtp://h/path',
      'smtp://h?pool=true',
      'smtp://user:Tr0ub4dor@h',
    ],
  ]) {
    test(`refuses the mail server ${smtp}, and does not show it`, () => {
      const { lines } = resolve({ from: FROM, smtp })
      assert.match(lines, /smtp.*must/)
      assert.ok(!lines.includes('Tr0ub4dor'), lines)
    })
  }

  test('names the sender', () => {
    assert.deepEqual(senderIn('Pen & Ink <a@b.c>'), { name: 'Pen & Ink', address: 'a@b.c' })
    assert.deepEqual(senderIn('a@b'), { name: '', address: 'a@b' })
  })
})
