import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviceOf } from '../../src/ui/text/format.ts'

const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36'

test('browser and system are named, although browsers name others too', () => {
  assert.equal(deviceOf(CHROME), 'Chrome, Linux')
  assert.equal(deviceOf(`${CHROME} Edg/131.0`), 'Edge, Linux')
  assert.equal(deviceOf(CHROME.replace('X11; Linux x86_64', 'Linux; Android 14')), 'Chrome, Android')
  assert.equal(deviceOf('Mozilla/5.0 (Macintosh; Intel Mac OS X 14.5) Gecko/20100101 Firefox/133.0'), 'Firefox, Mac OS X')
})

test('another program is named by its first word', () => {
  assert.equal(deviceOf('curl/8.9.1'), 'curl/8.9.1')
  assert.equal(deviceOf('node'), 'node')
  assert.equal(deviceOf(null), undefined)
})
