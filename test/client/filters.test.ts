import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CrudFilter } from '@refinedev/core'
import { listFilter } from '../../src/client/refine-data.ts'

describe('filters of refine', () => {
  const CASES: readonly (readonly [CrudFilter, readonly string[]])[] = [
    [{ field: 'status', operator: 'eq', value: 'draft' }, ['status=draft']],
    [{ field: 'rating', operator: 'eq', value: null }, ['rating__isnull=true']],
    [{ field: 'rating', operator: 'ne', value: null }, ['rating__isnull=false']],
    [{ field: 'status', operator: 'nes', value: 'draft' }, ['status__ne=draft']],
    [{ field: 'rating', operator: 'gte', value: 4 }, ['rating__gte=4']],
    [{ field: 'author.username', operator: 'contains', value: 'ann' }, ['author__username__icontains=ann']],
    [{ field: 'slug', operator: 'startswiths', value: 'in' }, ['slug__startswith=in']],
    [{ field: 'slug', operator: 'endswiths', value: 'm' }, ['slug__endswith=m']],
    [{ field: 'name', operator: 'in', value: ['a,b', 'c'] }, ['name__in="a,b",c']],
    [{ field: 'id', operator: 'nin', value: [1, 2] }, ['id__ne=1', 'id__ne=2']],
    [{ field: 'tags', operator: 'ina', value: [1, 2] }, ['tags=1', 'tags=2']],
    [{ field: 'rating', operator: 'between', value: [1, 3] }, ['rating__gte=1', 'rating__lte=3']],
    [{ field: 'rating', operator: 'null', value: true }, ['rating__isnull=true']],
    [{ field: 'rating', operator: 'nnull', value: true }, ['rating__isnull=false']],
    [{ field: 'rating', operator: 'null', value: undefined }, ['rating__isnull=true']],
    [{ field: 'rating', operator: 'nnull', value: undefined }, ['rating__isnull=false']],
    [{ field: 'rating', operator: 'null', value: false }, ['rating__isnull=true']],
    [{ field: 'rating', operator: 'eq', value: undefined }, []],
    [
      {
        operator: 'and',
        value: [
          { field: 'id', operator: 'gt', value: 1 },
          { field: 'id', operator: 'lt', value: 5 },
        ],
      },
      ['id__gt=1', 'id__lt=5'],
    ],
    [{ field: 'q', operator: 'contains', value: ' ' }, []],
  ]
  for (const [filter, filters] of CASES) {
    test(JSON.stringify(filter), () => assert.deepEqual(listFilter([filter]), { q: undefined, filters, any: [] }))
  }

  const FAULTS: readonly (readonly [CrudFilter, RegExp])[] = [
    [{ operator: 'or', value: [{ operator: 'and', value: [] }] }, /not support 'and' within 'or'/],
    [{ operator: 'or', value: [{ field: 'id', operator: 'between', value: [1, 2] }] }, /'between' of 'id' within 'or'/],
    [{ operator: 'or', value: [{ field: 'q', operator: 'eq', value: 'x' }] }, /'eq' of 'q' within 'or'/],
    [
      { field: 'title', operator: 'containss', value: 'x' },
      /does not support the operator 'containss' of 'title'; use 'contains'/,
    ],
    [{ field: 'title', operator: 'startswith', value: 'x' }, /use 'startswiths', which is case-sensitive/],
    [{ field: 'title', operator: 'ncontains', value: 'x' }, /does not support the operator 'ncontains' of 'title'$/],
    [{ field: 'id', operator: 'between', value: [1] }, /'between' of 'id' takes a list of 2 values/],
    [{ field: 'id', operator: 'between', value: [1, null] }, /'id__lte' is null/],
    [{ field: 'id', operator: 'in', value: 3 }, /'in' of 'id' takes a list/],
    [{ field: 'id', operator: 'in', value: [] }, /empty list/],
    [{ field: 'title', operator: 'contains', value: { a: 1 } }, /which filters do not support/],
    [{ field: 'q', operator: 'ne', value: 'lantern' }, /'q' has the operator 'ne'; use 'contains'/],
    [{ field: 'q', operator: 'null', value: true }, /'q' has the operator 'null'/],
    [{ field: 'q', operator: 'contains', value: ['lantern'] }, /'q' has a value of type object/],
  ]
  for (const [filter, message] of FAULTS) {
    test(`${JSON.stringify(filter)} is refused`, () => assert.throws(() => listFilter([filter]), message))
  }

  test('an or is a group, of which filters without a value are not part', () => {
    const draft: CrudFilter = { field: 'status', operator: 'eq', value: 'draft' }
    const mine: CrudFilter = { field: 'author_id', operator: 'eq', value: 3 }
    const unset: CrudFilter = { field: 'title', operator: 'contains', value: undefined }
    const filters: CrudFilter[] = [
      { operator: 'or', value: [draft, unset, { operator: 'or', value: [mine] }] },
      { operator: 'or', value: [unset] },
    ]
    assert.deepEqual(listFilter(filters), { q: undefined, filters: [], any: [['status=draft', 'author_id=3']] })
  })

  test('"null" and "nnull" of a text mean that it is empty and not empty, also within an or', () => {
    const fields = { value: (_: string, value: unknown) => value, isText: (path: string) => path === 'author__bio' }
    const empty: CrudFilter = { field: 'author.bio', operator: 'null', value: true }
    const filled: CrudFilter = { field: 'author.bio', operator: 'nnull', value: true }
    const draft: CrudFilter = { field: 'status', operator: 'eq', value: 'draft' }
    const unrated: CrudFilter = { field: 'rating', operator: 'null', value: true }
    const either = ['author__bio__isnull=true', 'author__bio__lte=']
    const sent = (...filters: CrudFilter[]) => listFilter(filters, fields)
    assert.deepEqual(sent(empty, draft), { q: undefined, filters: ['status=draft'], any: [either] })
    assert.deepEqual(sent(filled, unrated), { q: undefined, filters: ['author__bio__gt=', 'rating__isnull=true'], any: [] })
    assert.deepEqual(sent({ operator: 'or', value: [draft, empty] }).any, [['status=draft', ...either]])
    assert.deepEqual(sent({ operator: 'or', value: [draft, filled] }).any, [['status=draft', 'author__bio__gt=']])
    const isNull: CrudFilter = { field: 'author.bio', operator: 'eq', value: null }
    assert.deepEqual(sent(isNull), { q: undefined, filters: ['author__bio__isnull=true'], any: [] })
  })

  test('more than one filter q is rejected', () => {
    const q: CrudFilter = { field: 'q', operator: 'contains', value: ' lantern ' }
    assert.deepEqual(listFilter([q, { field: 'id', operator: 'gt', value: 1 }]), { q: 'lantern', filters: ['id__gt=1'], any: [] })
    assert.deepEqual(listFilter([{ field: 'q', operator: 'eq', value: 2024 }]), { q: '2024', filters: [], any: [] })
    assert.throws(() => listFilter([q, q]), /more than one filter 'q'/)
  })
})
