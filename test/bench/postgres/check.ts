import assert from 'node:assert/strict'
import { mulberry32 } from '../data/random.ts'
import { askJson } from '../load/ask.ts'
import type { Target } from '../load/load.ts'
import { type PostgresRow, questionsOf } from './rows.ts'

const EXAMPLES = 12

interface Answer {
  readonly data: { readonly id: number } | readonly { readonly id: number }[]
  readonly total?: number
}

/**
 * Compares the answers of both servers to some reads of a row: the same records in the same order, and the same totals.
 *
 * @throws {AssertionError} naming the request
 */
export async function checkReads(row: PostgresRow, ours: Target, hand: Target, records: number): Promise<void> {
  const number = () => assert.fail('a read creates nothing')
  const questions = () => ({ ...questionsOf(records, 0, number), random: mulberry32(29) })
  const [next, nextOfHand] = [row.ours(questions()), (row.hand ?? row.ours)(questions())]
  for (let count = 0; count < EXAMPLES; count++) {
    const [request, handRequest] = [next(), nextOfHand()]
    const [one, other] = [await askJson<Answer>(ours, request), await askJson<Answer>(hand, handRequest)]
    assert.deepEqual(one.data, other.data, request.path)
    if (other.total !== undefined) assert.equal(one.total, other.total, request.path)
  }
}
