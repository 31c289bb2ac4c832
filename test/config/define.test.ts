import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defineConfig } from '../../src/index.ts'

// The type checker verifies the lines below `@ts-expect-error`: an unused directive is a compile error.

test('settings are returned unchanged', () => {
  const given = { port: 9000, jwt: { algorithm: 'HS512' }, cors: ['https://a.example'] } as const
  assert.equal(defineConfig(given), given)
  assert.deepEqual(defineConfig({ rate_limits: { auth: 0 } }), { rate_limits: { auth: 0 } })
  assert.deepEqual(defineConfig({ files: { max_size: '8 MiB' } }), { files: { max_size: '8 MiB' } })
  assert.deepEqual(defineConfig({}), {})
})

test('an unknown setting or a value of another type is a type error', () => {
  // @ts-expect-error there is no setting `prot`
  defineConfig({ prot: 9000 })
  // @ts-expect-error a port is a number
  defineConfig({ port: '9000' })
  // @ts-expect-error there is no such algorithm
  defineConfig({ jwt: { algorithm: 'none' } })
  // @ts-expect-error a section has no setting `uplod`
  defineConfig({ rate_limits: { uplod: 1 } })
  // @ts-expect-error a size is a number or a text
  defineConfig({ files: { max_size: true } })
  // @ts-expect-error hours are a number
  defineConfig({ files: { pending_hours: '24' } })
  // @ts-expect-error cors is a list
  defineConfig({ cors: 'https://a.example' })
  // @ts-expect-error the status is 400 or 422
  defineConfig({ validation_status: 404 })
  // @ts-expect-error views_auth is optional or required
  defineConfig({ views_auth: 'never' })
  // @ts-expect-error a subscription has a url
  defineConfig({ webhooks: [{ events: ['create'] }] })
  // @ts-expect-error there is no event `read`
  defineConfig({ webhooks: [{ url: 'https://a.example', events: ['read'] }] })
  // @ts-expect-error a lint rule is off, warn or error
  defineConfig({ lint: { rules: { x: 'loud' } } })
})
