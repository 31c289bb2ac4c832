import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkOf } from '../../src/ui/cells/choices.ts'
import { formatAge, formatDate, formatNumber, formatTime, localeOf, utcText } from '../../src/ui/text/format.ts'

test('small numbers have all their digits', () => {
  assert.equal(formatNumber(1e-21, 'en'), '1e-21')
  assert.equal(formatNumber(-2.5e-300, 'de'), '-2,5e-300')
  assert.equal(formatNumber('1.5e-21', 'en'), '1.5e-21')
  assert.equal(formatNumber(1.5e-7, 'en'), '0.00000015')
  assert.equal(formatNumber(1.234567890123456e-7, 'de'), '1,234567890123456e-7')
})

test("the locale is the browser's variant of the page's language", () => {
  assert.equal(localeOf('en', ['de-AT', 'en-GB', 'en-US']), 'en-GB')
  assert.equal(localeOf('de', ['en-GB']), 'de')
})

test('a decimal keeps all its digits', () => {
  assert.equal(formatNumber('12345678901234567890.10', 'en', 2), '12,345,678,901,234,567,890.10')
  assert.equal(formatNumber(1234.5, 'de'), '1.234,5')
  assert.equal(formatNumber('-1234.5', 'en', 30), `-1,234.5${'0'.repeat(29)}`)
  assert.equal(formatNumber(`0.${'1'.repeat(40)}`, 'de', 0), `0,${'1'.repeat(40)}`)
  assert.equal(formatNumber('-0.5', 'en', 25), `-0.5${'0'.repeat(24)}`)
})

test('a date of the calendar is the same in every time zone', () => {
  assert.equal(formatDate('2024-05-31', 'en-GB'), '31 May 2024')
  assert.equal(formatDate('soon', 'en-GB'), 'soon')
  assert.equal(utcText('2024-05-31T10:30:00+02:00'), '2024-05-31 08:30:00 UTC')
  assert.equal(formatTime('08:30:00'), '08:30')
  assert.equal(formatTime('08:30:15'), '08:30:15')
})

test('only web and e-mail addresses are links', () => {
  assert.equal(linkOf('url', 'https://example.org/a?b'), 'https://example.org/a?b')
  assert.equal(linkOf('email', 'ann@example.org'), 'mailto:ann@example.org')
  assert.equal(linkOf('email', 'a@b.c?bcc=x@y.z'), 'mailto:a@b.c%3Fbcc%3Dx@y.z')
  for (const value of ['javascript:alert(1)', 'JAVASCRIPT:alert(1)', 'data:text/html,x', ' javascript:alert(1)', 'https://']) {
    assert.equal(linkOf('url', value), undefined, value)
  }
})

test('how long ago a moment was is said in minutes, hours and days of a week', () => {
  const now = Date.parse('2026-01-15T12:00:00Z')
  const age = (at: string, locale = 'en-GB') => formatAge(at, now, locale)
  assert.equal(age('2026-01-15T12:00:20Z'), 'now')
  assert.equal(age('2026-01-15T11:57:00Z'), '3 minutes ago')
  assert.equal(age('2026-01-15T07:00:00Z', 'de'), 'vor 5 Stunden')
  assert.equal(age('2026-01-14T12:00:00Z'), 'yesterday')
  assert.match(age('2025-12-31T12:00:00Z'), /31 Dec 2025/)
  assert.match(age('2026-01-15T13:00:00Z'), /15 Jan 2026/)
  assert.equal(age('soon'), 'soon')
})
