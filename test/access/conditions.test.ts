import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Condition } from '../../src/access/condition.ts'
import { repetitions } from '../helpers/counts.ts'
import { registry, task, World } from './tasks.ts'

const compile = (text: string): Condition => Condition.compile(text, task, registry)

const ROUNDS = repetitions(150, 500)

for (const [name, seed, smallTable] of [
  ['scanned', 1, 500],
  ['by index', 2, 0],
] as const) {
  test(`${ROUNDS} random conditions select what CEL evaluates to true (${name})`, async () => {
    const world = await World.make(seed, smallTable)
    let partial = 0
    for (let round = 0; round < ROUNDS; round++) {
      const text = world.condition()
      const user = world.user()
      const bound = compile(text).for(user)
      const expected = world.tasks.filter((record) => world.holds(text, record, user)).map(({ id }) => id)
      const plan = { filters: typeof bound === 'boolean' ? [] : [bound], sort: [], offset: 0, limit: 1000 }
      const found = bound === false ? [] : (await world.store.find('task', plan)).records.map(({ id }) => id)
      assert.deepEqual(
        found,
        expected,
        `${text} for ${JSON.stringify(user, (_, each) => (typeof each === 'bigint' ? Number(each) : each))}`,
      )
      if (expected.length > 0 && expected.length < world.tasks.length) partial++
    }
    assert.ok(partial > 0.3 * ROUNDS, `only ${partial} conditions tell records apart`)
  })
}

describe('a condition that no filter can express', () => {
  const rows: readonly (readonly [string, RegExp])[] = [
    ['self.titel == "a"', /^Model 'Task' has no field 'titel'; did you mean 'title'\?$/],
    ['self.owner.password == "a"', /^Model 'User' has no field 'password'/],
    ['user.pasword == "a"', /^Model 'User' has no field 'pasword'/],
    ['user.password == "a"', /^Model 'User' has no field 'password'/],
    ['editors', /^Unknown name 'editors'; .* a group is written \{ group: editors \}$/],
    ['self.title == self.status', /compares two fields of the record/],
    ['self.points + 1 > 3', /^self.points \+ 1 cannot be a filter; use comparisons/],
    ['size(self.title) > 3', /^size\(self.title\) cannot be a filter/],
    ['self.title.contains("a")', /cannot be a filter/],
    ['self.title', /'title' is of type string; compare it with a value$/],
    ['self.team.lead.name == "a"', /has no field 'lead'|goes further than one relation/],
    ['self.readers.id == 1', /refers to many records/],
    ['self.readers == [1]', /'readers' is a list; write `value in self.readers`/],
    ['user.id in self.owner_id', /'owner_id' is no list; compare it with ==/],
    ['self.points == "a"', /^self.points == "a" is never true: 'points' must be an integer$/],
    ['self.cost < "10.5"', /^self.cost < "10.5" is never true: 'cost' is a number; write it without quotes$/],
    ['self.status == "opn"', /'status' is never 'opn'; did you mean 'open'\?$/],
    ['self.title ==', /./],
    ['has(self.title)', /cannot be a filter/],
    ['self.hidden ? true : false', /cannot be a filter/],
  ]
  for (const [text, message] of rows) test(text, () => assert.throws(() => compile(text), { message }))
})
