import assert from 'node:assert/strict'
import { test } from 'node:test'
import { secretProblem, urlProblem } from '../../src/config/webhook-settings.ts'

test('requirements of a chosen secret', () => {
  assert.equal(secretProblem('sixteen letters!'), undefined)
  assert.equal(secretProblem('fifteen letters'), 'must be at least 16 characters long')
  assert.equal(secretProblem('x'.repeat(201)), 'must be at most 200 characters long')
  assert.equal(secretProblem('umlauts are änderbar'), 'must be printable ASCII')
  assert.equal(secretProblem(`whsec_${Buffer.alloc(24).toString('base64')}`), undefined)
  for (const key of [Buffer.alloc(23).toString('base64'), Buffer.alloc(65).toString('base64'), 'not base64 at all, is it', '']) {
    assert.equal(secretProblem(`whsec_${key}`), 'must have 24 to 64 bytes in Base64 behind whsec_', key)
  }
})

test("requirements of a receiver's URL", () => {
  for (const good of ['https://example.com/hooks', 'http://127.0.0.1:9', 'HTTPS://bücher.de/?a=b#c', 'http://[::1]/']) {
    assert.equal(urlProblem(good), undefined, good)
  }
  for (const strange of ['example.com/hooks', 'ftp://example.com/', 'mailto:a@example.com', '/hooks', '']) {
    assert.equal(urlProblem(strange), 'must be an http or https address such as https://example.com/hooks', strange)
  }
  for (const named of ['https://ann@example.com/', 'https://:key@example.com/', 'https://ann:key@example.com/']) {
    assert.equal(urlProblem(named), 'must not hold a user name or password; the signature tells who sends', named)
  }
  assert.equal(urlProblem(`https://example.com/${'x'.repeat(1980)}`), undefined)
  assert.equal(urlProblem(`https://example.com/${'x'.repeat(1981)}`), 'must be at most 2000 characters long')
})
