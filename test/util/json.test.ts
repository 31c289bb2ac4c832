import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isObject } from '../../src/util/json.ts'

describe('a mapping', () => {
  for (const value of [{}, { a: 1 }, Object.create(null)])
    test(`${JSON.stringify(value)} is one`, () => assert.equal(isObject(value), true))
  for (const value of [null, undefined, [], 'x', 1, true, () => 1]) {
    test(`${JSON.stringify(value) ?? typeof value} is none`, () => assert.equal(isObject(value), false))
  }
})
