import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rememberRowVersion } from '../../../../src/store/postgres/layout/layout.ts'
import { OwnChanges } from '../../../../src/store/postgres/shared/own-changes.ts'
import type { Change, Operation, StoredRecord } from '../../../../src/store/store.ts'

/** A record as it was read from a row of this version. */
function record(id: number, version: string): StoredRecord {
  const read = Object.freeze({ id, version })
  rememberRowVersion(read, version)
  return read
}

const update = (id: number): Operation => ({ kind: 'update', table: 'item', id, values: {} })

const change = (id: number, before: string | undefined, after: string | undefined): Change => ({
  table: 'item',
  id,
  before: before === undefined ? undefined : record(id, before),
  after: after === undefined ? undefined : record(id, after),
})

/** The reported changes in words. */
function listened(changes: OwnChanges): string[] {
  const told: string[] = []
  changes.add((some) => {
    for (const { id, before, after } of some) told.push(`${id}: ${before?.version ?? 'none'} → ${after?.version ?? 'none'}`)
  })
  return told
}

test('changes of different records are reported as they end', () => {
  const changes = new OwnChanges()
  const told = listened(changes)
  const [first, second] = [changes.begin([update(1)]), changes.begin([update(2)])]
  changes.end(second, [change(2, '10', '21')])
  changes.end(first, [change(1, '10', '20')])
  assert.deepEqual(told, ['2: 10 → 21', '1: 10 → 20'])
})

test('a change waits for the change that it follows, whose answer comes later', () => {
  const changes = new OwnChanges()
  const told = listened(changes)
  const [first, second, third] = [changes.begin([update(1)]), changes.begin([update(1)]), changes.begin([update(1)])]
  changes.end(third, [change(1, '21', '22')])
  changes.end(second, [change(1, '20', '21')])
  assert.deepEqual(told, [])
  changes.end(first, [change(1, '10', '20')])
  assert.deepEqual(told, ['1: 10 → 20', '1: 20 → 21', '1: 21 → 22'])
})

test('a change follows one that was reported before, without waiting', () => {
  const changes = new OwnChanges()
  const told = listened(changes)
  changes.end(changes.begin([]), [change(1, undefined, '10')])
  const [slow, fast] = [changes.begin([update(1)]), changes.begin([update(1)])]
  changes.end(fast, [change(1, '10', '20')])
  assert.deepEqual(told, ['1: none → 10', '1: 10 → 20'])
  changes.end(slow, [])
})

test('a change of a version by another process waits only while it may be one of this process', () => {
  const changes = new OwnChanges()
  const told = listened(changes)
  const [refused, written] = [changes.begin([update(1)]), changes.begin([update(1)])]
  changes.end(written, [change(1, '15', '20')])
  assert.deepEqual(told, [])
  changes.end(refused, [])
  assert.deepEqual(told, ['1: 15 → 20'])
})

test('a removal may change any record by a cascade', () => {
  const changes = new OwnChanges()
  const told = listened(changes)
  const removal = changes.begin([{ kind: 'remove', table: 'owner', id: 7 }])
  changes.end(changes.begin([update(1)]), [change(1, '20', '21')])
  assert.deepEqual(told, [])
  changes.end(removal, [change(1, '10', '20')])
  assert.deepEqual(told, ['1: 10 → 20', '1: 20 → 21'])
})
