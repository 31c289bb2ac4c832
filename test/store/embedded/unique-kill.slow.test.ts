import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { FileStore } from '../../../src/store/embedded/file-store.ts'
import { repetitions } from '../../helpers/counts.ts'
import { temporaryFolder } from '../../helpers/fixture.ts'
import { Child } from './child.ts'
import { seatRegistry } from './seats.ts'

const ROUNDS = repetitions(5, 12)
const LINES = 120

test('sixteen parallel writers and kill -9 leave no two records with the same values, and lose none', async () => {
  await using temporary = await temporaryFolder()
  const folder = join(temporary.path, 'data')
  const must = new Set<string>()
  for (let round = 1; round <= ROUNDS; round++) {
    const child = new Child('seats-child.ts', folder, String(round))
    const told: string[] = []
    try {
      while (told.length < LINES) told.push(await child.line())
      told.push(...(await child.kill()))
    } finally {
      await child.kill()
    }
    const uncertain = new Set<string>()
    for (const line of told) {
      const [sign, seat] = [line.slice(0, 1), line.slice(2)]
      if (sign === '+') {
        // A seat that was given back is taken again before its removal was told.
        uncertain.delete(seat)
        must.add(seat)
      } else if (sign === '?') uncertain.add(seat)
      else if (uncertain.delete(seat)) must.delete(seat)
    }
    const store = await FileStore.open(folder, seatRegistry(), 'read')
    const found: string[] = []
    for await (const records of store.stream('seat', { filters: [], sort: [] })) {
      found.push(...records.map(({ row, number }) => `${row} ${number}`))
    }
    await store.close()
    assert.equal(new Set(found).size, found.length, `round ${round}: two records have the same values`)
    const lost = [...must].filter((seat) => !found.includes(seat) && !uncertain.has(seat))
    assert.deepEqual(lost, [], `round ${round}: acknowledged, and not there`)
    for (const seat of must) if (!found.includes(seat)) must.delete(seat)
    for (const seat of found) must.add(seat)
  }
  assert.ok(must.size > 40 * ROUNDS, `${must.size} seats`)
})
