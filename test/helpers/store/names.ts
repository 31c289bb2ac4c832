import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flatSource } from '../../../src/config/source.ts'
import { buildRegistry } from '../../../src/model/build.ts'
import type { ModelDefinition } from '../../../src/model/definition.ts'
import type { Registry } from '../../../src/model/registry.ts'
import type { Filter } from '../../../src/query/plan.ts'
import type { Operation, StoredRecord } from '../../../src/store/store.ts'
import type { OpenStore } from './contract.ts'

/** Fields whose names an engine may use within its own statements. */
const NAMES = [
  ...['added', 'changed', 'count', 'gone', 'i', 'i0', 'ids', 'item', 'key', 'l', 'last', 'lock', 'locked', 'logged', 'n', 'name'],
  ...[
    'next',
    'number',
    'one',
    'only',
    'page',
    'position',
    'r',
    'record',
    'record_id',
    'records',
    'select',
    't',
    'table',
    'table_name',
  ],
  ...['total', 'u', 'user', 'v0', 'value', 'version', 'writes', 'xmin', 'ctid', 'tableoid'],
]

const MODEL: ModelDefinition = {
  name: 'Ids',
  fields: [
    ...NAMES.map((name): ModelDefinition['fields'][number] => ({ name, type: 'string', unique: name === 'key' })),
    { name: 'target_id', type: 'foreignkey', model: 'ids' },
    { name: 'owner', type: 'many_to_many', model: 'ids' },
  ],
}

function registryOfNames(): Registry {
  const { registry, faults } = buildRegistry([{ value: MODEL, source: flatSource('model Ids') }], { public: [], internal: [] })
  faults.throwIfAny()
  return registry
}

/** Models and fields may have any name that a project may give them. */
export function checkNames(open: OpenStore): void {
  test('no name of a field is taken by the engine', async () => {
    const { store, close } = await open(registryOfNames())
    const values = (number: number) => ({
      ...Object.fromEntries(NAMES.map((name, index) => [name, `${name} ${(number * (index + 1)) % 7}`])),
      key: `key ${number}`,
      target_id: number === 1 ? null : 1,
      owner: number === 1 ? [] : [number - 1, 1].slice(0, number - 1),
    })
    const accepted = async (operations: readonly Operation[]): Promise<readonly StoredRecord[]> => {
      const outcome = await store.transact(operations)
      assert.ok(outcome.ok, JSON.stringify(outcome))
      return outcome.records
    }
    await accepted([{ kind: 'insert', table: 'ids', values: values(1) }])
    await accepted([2, 3].map((number) => ({ kind: 'insert', table: 'ids', values: values(number) })))
    const found = (await store.get('ids', [1, 2, 3])) as readonly StoredRecord[]
    assert.deepEqual(
      found.map(({ id, ...others }) => [id, others]),
      [1, 2, 3].map((number) => [number, values(number)]),
    )
    await accepted(
      [1, 2, 3].map((id) => ({ kind: 'update', table: 'ids', id, values: { position: `${-id}`, n: 'same', key: `new ${id}` } })),
    )
    const [first] = await store.get('ids', [1])
    await accepted([
      { kind: 'update', table: 'ids', id: 1, values: { ids: 'x', r: 'y', u: 'z' }, ...(first && { expect: first }) },
    ])
    for (const name of NAMES) {
      const [record] = await store.get('ids', [2])
      const filters: readonly Filter[] = [{ field: name, operator: 'eq', value: String(record?.[name]) }]
      const page = await store.find('ids', { filters, sort: [{ field: name, order: 'desc' }], offset: 0, limit: 10 })
      assert.ok(
        page.records.some(({ id }) => id === 2),
        name,
      )
      const groups = await store.aggregate('ids', {
        filters: [],
        groupBy: [name],
        sums: [],
        ranges: [{ field: name }],
        limit: 10,
      })
      assert.ok((groups?.length ?? 0) > 0, name)
    }
    await accepted([{ kind: 'remove', table: 'ids', id: 3 }])
    const refused = await store.transact([{ kind: 'remove', table: 'ids', id: 1 }])
    assert.ok(!refused.ok)
    await close()
  })
}
