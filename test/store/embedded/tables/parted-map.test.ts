import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PartedMap } from '../../../../src/store/embedded/tables/parted-map.ts'
import type { Json } from '../../../../src/util/json.ts'

test('a map in parts has what a map has', () => {
  const keys: readonly Json[] = [
    ...[
      null,
      true,
      false,
      0,
      -0,
      -1,
      0.5,
      2 ** 40,
      Number.MAX_VALUE,
      '',
      '0',
      'é',
      '書',
      'x'.repeat(1000),
      `${'x'.repeat(999)}y`,
    ],
    ...Array.from({ length: 5000 }, (_, index) => index),
    ...Array.from({ length: 5000 }, (_, index) => `user${index}@example.com`),
  ]
  const [parted, plain] = [new PartedMap<number>(), new Map<Json, number>()]
  const check = () =>
    assert.deepEqual(
      keys.map((key) => parted.get(key)),
      keys.map((key) => plain.get(key)),
    )
  for (const [index, key] of keys.entries()) {
    parted.set(key, index)
    plain.set(key, index)
  }
  check()
  for (const [index, key] of keys.entries()) {
    if (index % 3 !== 0) continue
    parted.delete(key)
    plain.delete(key)
  }
  check()
})
