import assert from 'node:assert/strict'
import { Environment } from '@marcbachmann/cel-js'
import type { Subject } from '../../src/access/condition.ts'
import { MemoryStore } from '../../src/store/embedded/memory-store.ts'
import type { StoredRecord } from '../../src/store/store.ts'
import type { Json } from '../../src/util/json.ts'
import { ruleSubject } from '../../src/validate/rules.ts'
import { mulberry32 } from '../bench/data/random.ts'
import { registryOf } from '../model/models.ts'

export const registry = registryOf(
  {
    name: 'Team',
    fields: [
      { name: 'name', type: 'string' },
      { name: 'open', type: 'boolean' },
      { name: 'size', type: 'integer' },
    ],
  },
  {
    name: 'Task',
    fields: [
      { name: 'title', type: 'string' },
      { name: 'status', type: 'choice', choices: ['open', 'done', 'late'] },
      { name: 'points', type: 'integer' },
      { name: 'share', type: 'number' },
      { name: 'cost', type: 'decimal' },
      { name: 'due', type: 'date' },
      { name: 'hidden', type: 'boolean' },
      { name: 'owner_id', type: 'foreignkey', model: 'user', on_delete: 'set_null' },
      { name: 'team_id', type: 'foreignkey', model: 'team', on_delete: 'set_null' },
      { name: 'readers', type: 'many_to_many', model: 'user' },
      { name: 'labels', type: 'multichoice', choices: ['red', 'blue'] },
    ],
  },
)
export const task = registry.expect('task')

/** Random tasks, users and conditions, and what CEL itself makes of them. */
export class World {
  readonly store: MemoryStore
  readonly #random: () => number
  readonly tasks: StoredRecord[] = []
  readonly teams: StoredRecord[] = []
  readonly #oracle = new Environment().registerVariable('self', 'dyn').registerVariable('user', 'dyn')

  private constructor(seed: number, smallTable: number) {
    this.#random = mulberry32(seed)
    this.store = new MemoryStore(registry, { smallTable })
  }

  static async make(seed: number, smallTable: number): Promise<World> {
    const world = new World(seed, smallTable)
    await world.#fill()
    return world
  }

  number(below: number): number {
    return Math.floor(this.#random() * below)
  }

  pick<T>(items: readonly T[]): T {
    return items[this.number(items.length)] as T
  }

  async #fill(): Promise<void> {
    const insert = async (table: string, values: Readonly<Record<string, Json>>): Promise<StoredRecord> => {
      const outcome = await this.store.transact([{ kind: 'insert', table, values }])
      assert.ok(outcome.ok, JSON.stringify(outcome))
      return outcome.records[0] as StoredRecord
    }
    for (let id = 1; id <= 6; id++) {
      const at = '2024-01-01T00:00:00.000Z'
      await insert('user', {
        created_at: at,
        updated_at: at,
        username: `user${id}`,
        email: `u${id}@example.org`,
        password: 'x',
        is_active: true,
        is_superuser: false,
      })
    }
    for (let id = 1; id <= 5; id++) {
      const values = {
        name: this.pick([null, 'red', 'blue']),
        open: this.pick([null, true, false]),
        size: this.pick([null, 1, 5]),
      }
      this.teams.push(await insert('team', values))
    }
    for (let id = 1; id <= 120; id++) {
      this.tasks.push(
        await insert('task', {
          title: this.pick([null, 'alpha', 'beta', 'alphabet', '']),
          status: this.pick([null, 'open', 'done', 'late']),
          points: this.pick([null, 0, 1, 5, 9]),
          share: this.pick([null, 0, 0.5, 1]),
          cost: this.pick([null, '0', '9.5', '10', '100.25', '-3']),
          due: this.pick([null, '2024-01-01', '2025-06-30']),
          hidden: this.pick([null, true, false]),
          owner_id: this.pick([null, 1, 2, 3]),
          team_id: this.pick([null, 1, 2, 3, 4, 5]),
          readers: this.pick([[], [1], [2, 3], [1, 2, 3, 4]]),
          labels: this.pick([[], ['red'], ['red', 'blue']]),
        }),
      )
    }
  }

  user(): Subject {
    if (this.number(5) === 0) return null
    const id = 1 + this.number(4)
    const groups = this.pick([[], ['editors'], ['editors', 'staff']])
    const record = {
      id,
      username: `user${id}`,
      first_name: this.pick([null, 'alpha', 'red']),
      is_active: this.pick([true, false]),
    }
    return { ...ruleSubject(registry.expect('user'), record), groups }
  }

  /** A random condition, as a person writes it. */
  condition(depth = 0): string {
    switch (this.number(depth > 3 ? 7 : 12)) {
      case 7:
      case 8:
        return `(${this.condition(depth + 1)} && ${this.condition(depth + 1)})`
      case 9:
      case 10:
        return `(${this.condition(depth + 1)} || ${this.condition(depth + 1)})`
      case 11:
        return `!(${this.condition(depth + 1)})`
      default:
        return this.#atom()
    }
  }

  #atom(): string {
    const order = this.pick(['<', '<=', '>', '>='])
    const same = this.pick(['==', '!='])
    return this.pick([
      `self.title ${same} ${this.pick(['"alpha"', 'null', 'user.first_name', '"x"'])}`,
      `self.title ${order} ${this.pick(['"b"', 'user.first_name'])}`,
      `"b" ${order} self.title`,
      `self.title.${this.pick(['startsWith', 'endsWith'])}(${this.pick(['"a"', '"bet"', 'user.first_name'])})`,
      `self.status in ${this.pick(['["open", "late"]', '[]', '["done"]'])}`,
      `self.status ${same} "done"`,
      `self.points ${order} ${this.pick(['1', '5', '-1'])}`,
      `self.points ${same} ${this.pick(['1', 'user.id'])}`,
      `self.points in [1, 9]`,
      `self.share ${order} 0.5`,
      `self.cost ${order} ${this.pick(['10.0', '9.5', '-3.0'])}`,
      `self.cost ${same} 10.0`,
      `self.due ${order} "2024-06-01"`,
      'self.hidden',
      'self.hidden == true',
      `self.owner_id ${same} user.id`,
      `user.id ${same} self.owner_id`,
      'self.owner_id in [1, 2]',
      'user.id in self.readers',
      '2 in self.readers',
      '"red" in self.labels',
      `self.team.name ${same} ${this.pick(['"red"', 'null', 'user.first_name'])}`,
      'self.team.open',
      `self.team.size ${order} 2`,
      'self.team.name in ["red", "blue"]',
      'self.team.name.startsWith("r")',
      '"editors" in user.groups',
      'user.is_active',
      'user != null',
      // Values of other types than the field's.
      `self.points ${this.pick([same, order])} user.first_name`,
      `self.title ${this.pick([same, order])} user.id`,
      `self.share ${this.pick([same, order])} user.username`,
      `self.cost ${this.pick([same, order])} ${this.pick(['user.first_name', 'user.id'])}`,
      `self.due ${this.pick([same, order])} user.id`,
      `self.hidden ${same} user.first_name`,
      `self.owner_id ${this.pick([same, order])} user.username`,
      `self.status ${same} user.id`,
      `self.points in user.groups`,
      `self.title in user.groups`,
      `self.team.size ${order} user.first_name`,
      'user.first_name in self.readers',
      'user.id in self.labels',
      this.pick(['true', 'false']),
    ])
  }

  /** What CEL itself makes of a condition. */
  holds(text: string, record: StoredRecord, user: Subject): boolean {
    const team = this.teams.find(({ id }) => id === record.team_id)
    const self = { ...ruleSubject(task, record), team: team === undefined ? null : ruleSubject(registry.expect('team'), team) }
    try {
      return this.#oracle.evaluate(text, { self, user }) === true
    } catch {
      return false
    }
  }
}
