import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { table } from '../../src/cli/style.ts'

describe('a table', () => {
  test('has columns as wide as their widest cell', () =>
    assert.equal(
      table(
        ['ID', 'NAME'],
        [
          ['1', 'ann'],
          ['100', 'b'],
        ],
      ),
      'ID   NAME\n1    ann\n100  b\n',
    ))

  test('has more rows than the stack has room for arguments', () => {
    const rows = Array.from({ length: 200_000 }, (_, index) => [String(index)])
    assert.equal(table(['ID'], rows).split('\n').length, 200_002)
  })
})
