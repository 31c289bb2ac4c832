import assert from 'node:assert/strict'
import type { Check } from './contract.ts'
import { assertFields, insert, remove, update } from './library.ts'

const CROWD = 200
const crowd = Array.from({ length: CROWD }, (_, index) => index)

export function checkConcurrency(check: Check): void {
  check('of concurrent inserts of one unique value, exactly one succeeds', async (library) => {
    const outcomes = await Promise.all(crowd.map(() => library.store.transact([insert('genre', { name: 'wanted' })])))
    assert.equal(outcomes.filter(({ ok }) => ok).length, 1)
    for (const outcome of outcomes) {
      if (!outcome.ok) assert.deepEqual(outcome.violations, [{ kind: 'unique', index: 0, field: 'name' }])
    }
    assert.equal((await library.find('genre'))[1], 1)
  })

  check('concurrent inserts of different records all succeed, with different ids', async (library) => {
    const outcomes = await Promise.all(crowd.map((index) => library.accept([insert('genre', { name: `genre ${index}` })])))
    const ids = outcomes.flatMap(({ records }) => records.map(({ id }) => id))
    assert.equal(new Set(ids).size, CROWD)
    const [records, total] = await library.find('genre')
    assert.equal(total, CROWD)
    for (const [index, { records: given }] of outcomes.entries()) assertFields(given[0], { name: `genre ${index}` })
    assert.deepEqual(records.map(({ name }) => String(name)).sort(), crowd.map((index) => `genre ${index}`).sort())
  })

  check('of concurrent updates of one version, exactly one succeeds', async (library) => {
    const before = await library.add('genre', { name: 'before' })
    const outcomes = await Promise.all(
      crowd.map((index) => library.store.transact([update('genre', 1, { name: `${index}` }, before)])),
    )
    const winners = outcomes.flatMap((outcome, index) => (outcome.ok ? [index] : []))
    assert.equal(winners.length, 1)
    for (const outcome of outcomes) {
      if (!outcome.ok) assert.deepEqual(outcome.violations, [{ kind: 'stale', index: 0, id: 1 }])
    }
    assertFields(await library.expect('genre', 1), { name: `${winners[0]}` })
  })

  check('no update is lost when stale updates are retried', async (library) => {
    await library.add('author', { name: 'counter' })
    await library.addBook({ author_id: 1, pages: 1 })
    const countOne = async () => {
      for (let attempt = 0; attempt <= 20; attempt++) {
        const record = await library.expect('book', 1)
        const outcome = await library.store.transact([update('book', 1, { pages: Number(record.pages) + 1 }, record)])
        if (outcome.ok) return
      }
      assert.fail('twenty others cannot be in the way more than twenty times')
    }
    await Promise.all(crowd.slice(0, 20).map(countOne))
    assertFields(await library.expect('book', 1), { pages: 21 })
  })

  check('of concurrent removals of one record, exactly one succeeds', async (library) => {
    await library.add('genre', { name: 'a' })
    const outcomes = await Promise.all(crowd.map(() => library.store.transact([remove('genre', 1)])))
    assert.equal(outcomes.filter(({ ok }) => ok).length, 1)
  })

  check('an insert of a reference and the removal of its target never both succeed', async (library) => {
    for (const index of crowd.slice(0, 20)) {
      const author = await library.add('author', { name: `author ${index}` })
      const refer = library.store.transact([insert('book', { title: 'Race', isbn: `${index}`, author_id: author.id })])
      const leave = library.store.transact([remove('author', author.id)])
      const outcomes = index % 2 === 0 ? await Promise.all([refer, leave]) : await Promise.all([leave, refer])
      assert.equal(outcomes.filter(({ ok }) => ok).length, 1)
    }
    const [books] = await library.find('book')
    const authors = await library.store.get(
      'author',
      books.map(({ author_id }) => Number(author_id)),
    )
    assert.equal(authors.includes(undefined), false)
  })

  check('readers see all of a transaction or nothing', async (library) => {
    const pairs = crowd.slice(0, 50)
    const writes = pairs.map((index) =>
      library.accept([insert('genre', { name: `${index} a` }), insert('genre', { name: `${index} b` })]),
    )
    const totals = await Promise.all(pairs.map(async () => (await library.find('genre'))[1]))
    await Promise.all(writes)
    assert.ok(
      totals.every((total) => total % 2 === 0),
      `half a batch was seen: ${totals.join(' ')}`,
    )
  })
}
