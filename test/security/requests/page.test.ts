import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { SettingsInput } from '../../../src/config/settings.ts'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { speak, withListening } from '../../helpers/api/raw.ts'
import type { TemporaryFolder } from '../../helpers/fixture.ts'
import { builtPage } from '../../helpers/page/built-page.ts'

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types workbook-worker"

const USUAL = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
}

let built: TemporaryFolder
before(async () => {
  built = await builtPage()
})
after(() => built.remove())

describe('headers of the admin page', () => {
  for (const settings of [{}, { cors: ['https://app.example.com'] }] as const) {
    test(`and of its assets are the policy, COOP and the usual ones, with the settings ${JSON.stringify(settings)}`, () =>
      withListening({ ui: built.path, settings }, async ({ port }) => {
        const ask = (line: string, more = '') =>
          speak(port, `${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nOrigin: https://app.example.com\r\n${more}\r\n`)
        const { headers } = await ask('GET /admin/')
        for (const [line, status, more] of [
          ['GET /admin/', 200],
          ['HEAD /admin/', 200],
          ['GET /admin/', 304, `If-None-Match: ${headers.etag}\r\n`],
          ['GET /admin/posts/1', 200],
          ['GET /admin/assets/index-a1b2c3d4.js', 200],
          ['GET /admin/assets/index-a1b2c3d4.js', 200, 'Accept-Encoding: br\r\n'],
          ['GET /admin/assets/logo-c9d0e1f2.svg', 200],
        ] as const) {
          const reply = await ask(line, more)
          assert.equal(reply.status, status, line)
          assert.equal(reply.headers['content-security-policy'], POLICY, line)
          assert.equal(reply.headers['cross-origin-opener-policy'], 'same-origin', line)
          for (const [name, value] of Object.entries(USUAL)) assert.equal(reply.headers[name], value, `${name} of ${line}`)
          assert.equal(reply.headers['access-control-allow-origin'], undefined, line)
          assert.equal(reply.text.match(/content-security-policy/gi)?.length, 1, 'one policy')
        }
      }))
  }

  test('leave those of other answers as they are', () =>
    withListening({ ui: built.path }, async ({ port }) => {
      for (const path of ['/admin/assets/nope.js', '/admin/api/v1/nope', '/admin/api/v1/views/', '/docs/page.js', '/healthz']) {
        const { headers } = await speak(port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
        assert.equal(headers['content-security-policy'], "default-src 'none'; frame-ancestors 'none'", path)
        assert.equal(headers['cross-origin-opener-policy'], undefined, path)
      }
    }))
})

describe('with the admin page, every other answer stays', () => {
  /** Requests that the page must not answer, below the roots `{api}` and `{admin}`. */
  const REQUESTS: readonly string[] = [
    'GET {api}',
    'GET {api}/',
    'GET {api}/nope',
    'HEAD {api}/nope',
    'POST {api}/nope',
    'DELETE {api}/nope/1/2',
    'GET {api}/nope?x=1',
    'GET {api}/auth/token',
    'PUT {api}/auth/token',
    'GET {api}/models',
    'GET {api}/models/nope',
    'GET {api}/models/tag',
    'GET {api}/models/tag/1',
    'GET {api}/models/tag/1/nope',
    'POST {api}/models/tag/1',
    'GET {api}/models/tag/bulk',
    'GET {api}/openapi.json',
    'POST {api}/openapi.json',
    'GET {admin}/api/v1/views',
    'GET {admin}/api/v1/views/tag/',
    'GET {admin}/api/v1/views/tag/nope',
    'POST {admin}/api/v1/views',
    'GET {admin}/api/v1/site',
    'GET {admin}/api/v1/nope',
    'GET {admin}/api/v2/nope',
    'GET {admin}/api',
    'POST {admin}/api/v1/nope',
    'OPTIONS {admin}/api/v1/nope',
    'GET {base}/docs',
    'GET {base}/docs/nope',
    'POST {base}/docs',
    'GET {base}/healthz',
    'GET {base}/readyz',
  ]

  async function answers(app: TestApp, { base_path: base = '', admin_path = '/admin' }: SettingsInput): Promise<unknown[]> {
    const list: unknown[] = []
    for (const template of REQUESTS) {
      const request = template
        .replace('{api}', `${base}/api/v1`)
        .replace('{admin}', base + admin_path)
        .replace('{base}', base)
      for (const [as, headers] of [
        ['admin', {}],
        [null, { origin: 'https://app.example.com' }],
      ] as const) {
        const authorization = as === null ? {} : { authorization: `Bearer ${await app.tokenOf(as)}` }
        const [method = '', url = ''] = request.split(' ')
        const reply = await app.server.inject({ method, url, headers: { ...headers, ...authorization } })
        const { date: _, ...fields } = reply.headers
        list.push({ request, as, status: reply.statusCode, fields, text: reply.payload })
      }
    }
    return list
  }

  for (const settings of [
    {},
    { cors: ['https://app.example.com'] },
    { base_path: '/backend' },
    { admin_path: '' },
    { base_path: '/backend', admin_path: '' },
    { admin_path: '/api' },
  ]) {
    test(`byte for byte, with the settings ${JSON.stringify(settings)}`, async () => {
      const [without, with_] = [await openTestApp({ settings }), await openTestApp({ settings, ui: built.path })]
      try {
        const [expected, actual] = [await answers(without, settings), await answers(with_, settings)]
        for (const [index, each] of expected.entries()) assert.deepEqual(actual[index], each)
        assert.equal(actual.length, 2 * REQUESTS.length)
      } finally {
        await without.close()
        await with_.close()
      }
    })
  }
})
