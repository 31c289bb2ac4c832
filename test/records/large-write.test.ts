import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SYSTEM } from '../../src/auth/permissions.ts'
import { AppError } from '../../src/errors.ts'
import type { DraftedWrite } from '../../src/records/drafts.ts'
import { LargeWrite } from '../../src/records/large-write.ts'
import type { Operation, PartOutcome, Violation } from '../../src/store/store.ts'
import type { JsonObject } from '../../src/util/json.ts'
import { FieldIssues } from '../../src/validate/issues.ts'
import { registryOf } from '../model/models.ts'

const model = registryOf({ name: 'Item', fields: [{ name: 'code', type: 'string' }] }).expect('item')

/** A draft of a record with a code; the messages are those of its row. */
function draft(code: string, messages: Readonly<Record<string, string>> = {}): DraftedWrite {
  const issues = new FieldIssues()
  for (const [field, message] of Object.entries(messages)) issues.add(field, message)
  return { model, draft: { data: {}, values: { code }, issues } }
}

/** A store that refuses some codes, and tells what it was given in each transaction. */
function open(parts: readonly (readonly DraftedWrite[])[], violations: Readonly<Record<string, Violation['kind']>> = {}) {
  const given: string[] = []
  const write = new LargeWrite(
    {
      async transact(mode, work) {
        given.push(mode)
        return work(async (operations): Promise<PartOutcome> => {
          const codes = operations.map((each) => String(valuesOf(each).code))
          given.push(codes.join(' '))
          const found = codes.flatMap((code, index): Violation[] =>
            violations[code] === undefined ? [] : [{ kind: violations[code], index, id: 1, field: 'code' } as Violation],
          )
          if (found.length === 0) return { ok: true, records: [] }
          return { ok: false, violations: mode === 'rehearse' ? found : [] }
        })
      },
      transaction: async (writes, mode) => ({
        write: { actor: SYSTEM, model },
        isQuiet: false,
        operations: writes.map((each): Operation => {
          return { kind: 'insert', table: 'item', values: { ...each.draft.values, mode } }
        }),
        rehearse: async () => ({ ok: false, violations: [] }),
      }),
      issues: (found) =>
        new Map(
          found.flatMap(({ kind, index }): [number, FieldIssues][] => {
            const issues = new FieldIssues()
            issues.add('code', `code is ${kind}`)
            return kind === 'stale' ? [] : [[index, issues]]
          }),
        ),
    },
    async function* () {
      yield* parts
    },
  )
  return { write, given }
}

const valuesOf = (operation: Operation): JsonObject => ('values' in operation ? operation.values : {})

const prefix = (index: number) => `${index + 1}.`

const errorsOf = (rehearsal: Promise<boolean>) =>
  rehearsal.then(
    () => assert.fail('There are no errors'),
    (error: unknown) => (error instanceof AppError ? error.details : assert.fail(String(error))),
  )

describe('a write in parts', () => {
  test('is committed part by part', async () => {
    const { write, given } = open([[draft('a'), draft('b')], [draft('c')]])
    assert.equal(await write.commit(), true)
    assert.deepEqual(given, ['commit', 'a b', 'c'])
  })

  test('is not committed after a refused part', async () => {
    const { write, given } = open([[draft('a')], [draft('taken')], [draft('c')]], { taken: 'unique' })
    assert.equal(await write.commit(), false)
    assert.deepEqual(given, ['commit', 'a', 'taken'])
  })

  test('is not committed after a draft with errors', async () => {
    const { write, given } = open([[draft('a')], [draft('b', { code: 'code is wrong' })], [draft('c')]])
    assert.equal(await write.commit(), false)
    assert.deepEqual(given, ['commit', 'a'])
  })

  test('a rehearsal finds the errors of all parts, and tries the sound drafts of a part again for later ones', async () => {
    const parts = [[draft('a'), draft('taken'), draft('b', { code: 'code is wrong' })], [draft('c')], [draft('taken')]]
    const { write, given } = open(parts, { taken: 'unique' })
    assert.deepEqual(await errorsOf(write.rehearse(prefix)), {
      '2.code': ['code is unique'],
      '3.code': ['code is wrong'],
      '5.code': ['code is unique'],
    })
    assert.deepEqual(given, ['rehearse', 'a taken b', 'a', 'c', 'taken'])
  })

  test('a part with a row that cannot be read is not held against the constraints', async () => {
    const { write, given } = open([[draft('taken'), draft('', { row: 'is no JSON' })]], { taken: 'unique' })
    assert.deepEqual(await errorsOf(write.rehearse(prefix)), { '2.row': ['is no JSON'] })
    assert.deepEqual(given, ['rehearse', 'taken'])
  })

  test('a rehearsal tells that a record has changed meanwhile', async () => {
    const { write } = open([[draft('a')], [draft('changed')]], { changed: 'stale' })
    assert.equal(await write.rehearse(prefix), false)
    assert.equal(await open([[draft('a')]]).write.rehearse(prefix), true)
  })

  test('is tried ten times while records keep changing', async () => {
    const { write, given } = open([[draft('changed')]], { changed: 'stale' })
    assert.equal(await write.run(prefix), false)
    assert.equal(given.filter((each) => each === 'commit').length, 10)
    assert.equal(await open([[draft('a')]]).write.run(prefix), true)
  })

  test('a rehearsal ends when the errors are more than are told', async () => {
    const part = Array.from({ length: 1001 }, () => draft('a', { code: 'code is wrong' }))
    const { write, given } = open([part, [draft('b')]])
    await errorsOf(write.rehearse(prefix))
    assert.equal(given.length, 2)
  })
})
