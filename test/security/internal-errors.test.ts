import assert from 'node:assert/strict'
import { test } from 'node:test'
import { speak, withListening } from '../helpers/api/raw.ts'

const INSIDE = ['secret thing', '/home/somebody', 'ENOENT', '.ts', '.js', '    at ', 'Error:']

for (const [what, thrown] of [
  ['an error', () => Object.assign(new Error('ENOENT: secret thing in /home/somebody/db.json'), { path: '/home/somebody' })],
  [
    'an error that claims to be public',
    () => Object.assign(new Error('secret thing'), { isBoom: true, output: { statusCode: 418 } }),
  ],
  ['a text', () => 'secret thing'],
  ['nothing', () => undefined],
] as const) {
  for (const [part, path] of [
    ['a read', '/api/v1/models/tag/1'],
    ['a list', '/api/v1/models/tag'],
    ['the views', '/admin/api/v1/views/'],
  ] as const) {
    test(`${what} thrown inside ${part} is a 500 without message, path or stack`, () =>
      withListening({}, async (app) => {
        const fail = () => {
          throw thrown()
        }
        Object.assign(app.app.reads, { get: fail, list: fail })
        Object.assign(app.app.views, { all: fail })
        const reply = await speak(app.port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${app.authorization}\r\n`)
        assert.equal(reply.status, 500, reply.text)
        assert.deepEqual(Object.keys(reply.json).sort(), ['details', 'error', 'request_id', 'status_code'])
        assert.equal(reply.json.error, 'Internal server error')
        for (const inside of INSIDE) assert.ok(!reply.text.includes(inside), `${inside} is in: ${reply.text}`)
        assert.equal(app.reported.length, 1)
      }))
  }
}
