import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createLog, type LogOptions } from '../../src/log/create-log.ts'
import { LOG_LEVELS, type Log, silentLog } from '../../src/log/log.ts'

const clock = () => Date.parse('2026-01-15T12:00:00.000Z')

function written(options: Partial<LogOptions>, say: (log: Log) => void): string {
  let text = ''
  const write = (line: string) => {
    text += line
  }
  say(createLog(write, { level: 'info', format: 'json', clock, ...options }))
  return text
}

describe('a log', () => {
  test('writes one line of JSON per entry: level, time, fields, message', () => {
    const text = written({}, (log) => {
      log.info('User disabled', { event: 'user_disabled', user_id: 3 })
      log.warn('second\nline')
    })
    assert.equal(
      text,
      '{"level":"info","time":"2026-01-15T12:00:00.000Z","event":"user_disabled","user_id":3,"msg":"User disabled"}\n' +
        '{"level":"warn","time":"2026-01-15T12:00:00.000Z","msg":"second\\nline"}\n',
    )
  })

  for (const [index, level] of LOG_LEVELS.entries()) {
    test(`of level ${level} writes ${LOG_LEVELS.slice(0, index + 1).join(', ')}`, () => {
      const text = written({ level }, (log) => {
        assert.equal(log.debugs, level === 'debug')
        for (const each of LOG_LEVELS) log[each]('.')
      })
      const said = text.match(/"level":"\w+"/g)
      assert.deepEqual(
        said,
        LOG_LEVELS.slice(0, index + 1).map((each) => `"level":"${each}"`),
      )
    })
  }

  test('writes each line synchronously and completely', () => {
    const lines: string[] = []
    const log = createLog((line) => lines.push(line), { level: 'info', format: 'json', clock })
    for (let count = 1; count <= 3; count++) {
      log.info(`${count}`)
      assert.equal(lines.length, count)
      assert.ok(
        lines.every((line) => line.endsWith('}\n')),
        'a line is not whole',
      )
    }
  })

  test('that is silent writes nothing, and tells callers that debug is off', () => {
    assert.equal(silentLog.debugs, false)
    for (const level of LOG_LEVELS) silentLog[level]('.')
  })
})

describe('a log for people', () => {
  const shown = (say: (log: Log) => void) => written({ level: 'debug', format: 'text' }, say)

  test('writes the message, then its fields', () => {
    const text = shown((log) => {
      log.info('7 models and 14 views from /srv/my shop')
      log.warn('it is late')
      log.info('Login', { event: 'login_succeeded', username: 'ann', address: '::1' })
    })
    assert.equal(text, '7 models and 14 views from /srv/my shop\nWarning: it is late\nLogin username=ann address=::1\n')
  })

  test('quotes ambiguous values', () => {
    const text = shown((log) => log.info('Login', { username: 'ann address=1.2.3.4\nLogin', empty: '' }))
    assert.equal(text, 'Login username="ann address=1.2.3.4\\nLogin" empty=""\n')
  })

  test('shows the stack of an error and of its causes', () => {
    const error = new Error('outside', { cause: new RangeError('inside') })
    const text = shown((log) => log.error('Request failed', { request_id: 'abc', error }))
    assert.match(text, /^Error: Request failed request_id=abc\nError: outside\n {4}at .*\ncaused by RangeError: inside\n {4}at /s)
  })

  test('removes control characters', () => {
    const error = new Error('\u001b[2Jgone\u0007\r')
    const text = shown((log) => {
      log.error('\u001b]0;title\u0007Failed', { error, name: '\u001b[31mred' })
    })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: asserts that there are none
    assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
  })

  test('escapes C1 controls and bidirectional overrides in fields, in both formats', () => {
    const fields = { origin: 'http://\u009b2J\u0085x', agent: 'a b\u009d0;title\u009c', name: 'abc\u202edef\u2028' }
    for (const format of ['text', 'json'] as const) {
      const text = written({ level: 'debug', format }, (log) => log.warn(`Refused \u009b31m${fields.origin}`, fields))
      assert.doesNotMatch(text, /[\u007f-\u009f\u2028-\u202e]/, format)
      assert.match(text, /\\u009b2J\\u0085x.*a b\\u009d0;title\\u009c.*abc\\u202edef\\u2028/s)
      if (format === 'json') assert.equal(JSON.parse(text).origin, fields.origin)
    }
  })

  test('indents the further lines of an error, so that none looks like an entry', () => {
    const error = new Error('No such file: a\nLogin username=admin')
    const text = shown((log) => log.error('Request failed', { error }))
    assert.doesNotMatch(text, /^Login/m)
    assert.match(text, /^ {4}Login username=admin$/m)
  })
})
