import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../src/errors.ts'
import { FieldIssues } from '../../src/validate/issues.ts'

function issuesOf(messages: readonly (readonly [string, ...string[]])[]): FieldIssues {
  const issues = new FieldIssues()
  for (const [field, ...texts] of messages) issues.add(field, ...texts)
  return issues
}

describe('gathering', () => {
  test('several messages of a field, in their order, each once', () => {
    const issues = issuesOf([
      ['a', 'one', 'two'],
      ['b', 'one'],
      ['a', 'two', 'three'],
    ])
    assert.deepEqual(issues.toMessages(), { a: ['one', 'two', 'three'], b: ['one'] })
  })

  test('at most a hundred messages of a field, which an item of a list may have each', () => {
    const messages = Array.from({ length: 1000 }, (_, index) => `fault ${index}`)
    const issues = new FieldIssues()
    for (const message of messages) issues.add('a', message)
    issues.add('a', 'fault 0')
    assert.deepEqual(issues.toMessages(), { a: [...messages.slice(0, 100), 'Further messages are not shown'] })
  })

  test('no message is no issue', () => {
    const issues = issuesOf([['a']])
    assert.equal(issues.any, false)
    assert.equal(issues.has('a'), false)
    assert.deepEqual(issues.toMessages(), {})
    assert.doesNotThrow(() => issues.throwIfAny())
  })

  test('another one behind a prefix', () => {
    const issues = issuesOf([['0.a', 'x']])
    issues.addAll(
      issuesOf([
        ['a', 'y'],
        ['b', 'z'],
      ]),
      '0.',
    )
    assert.deepEqual(issues.toMessages(), { '0.a': ['x', 'y'], '0.b': ['z'] })
  })

  test('messages of another collection for fields without any', () => {
    const issues = issuesOf([['a', 'x']])
    issues.addMissing(
      issuesOf([
        ['a', 'y'],
        ['b', 'z', 'zz'],
      ]),
    )
    assert.deepEqual(issues.toMessages(), { a: ['x'], b: ['z', 'zz'] })
  })

  test('one message in the place of all, where there is one', () => {
    const issues = issuesOf([['a', 'x', 'y']])
    issues.replace('a', 'mine')
    issues.replace('b', 'mine')
    assert.deepEqual(issues.toMessages(), { a: ['mine'] })
  })

  test('the thrown error contains all messages', () =>
    assert.throws(
      () =>
        issuesOf([
          ['a', 'x'],
          ['b', 'y', 'z'],
        ]).throwIfAny(),
      (error) => {
        assert.ok(error instanceof AppError)
        assert.equal(error.code, 'VALIDATION_FAILED')
        assert.deepEqual(error.details, { a: ['x'], b: ['y', 'z'] })
        return true
      },
    ))
})

describe('field names may be anything', () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '', '0']) {
    test(JSON.stringify(name), () => {
      const issues = new FieldIssues()
      assert.equal(issues.has(name), false)
      issues.add(name, 'one')
      issues.add(name, 'two')
      assert.equal(issues.has(name), true)
      const messages = issues.toMessages()
      assert.ok(Object.hasOwn(messages, name))
      assert.equal(JSON.stringify(messages), `{${JSON.stringify(name)}:["one","two"]}`)
      assert.equal(Reflect.get({}, 'one'), undefined)
    })
  }
})
