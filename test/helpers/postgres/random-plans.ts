import type { Ordering } from '../../../src/model/field-type.ts'
import type { AggregatePlan, GroupKey } from '../../../src/query/aggregate.ts'
import { DATE_PERIODS } from '../../../src/query/periods.ts'
import type { FieldFilter, Filter, Plan, SortKey } from '../../../src/query/plan.ts'
import type { Json } from '../../../src/util/json.ts'
import { DECIMALS, day, decimal, moment, ROOMS, TAGS, timeOfDay, WORDS, words } from './museum.ts'
import type { Random } from './random.ts'

const TEXTS = ['title', 'note', 'story', 'code', 'contact', 'link']
/** The fields that a list of exhibits can be sorted by. */
export const SORTABLE = [
  ...TEXTS,
  'id',
  'state',
  'key',
  'visits',
  'weight',
  'price',
  'insured',
  'made',
  'opens',
  'seen',
  'room_id',
  'spare_id',
]
const EQUALITY = ['eq', 'ne'] as const
const ALL = ['gt', 'gte', 'lt', 'lte', 'eq', 'ne'] as const

/** The ordering of a field as a member of filters and sort keys. */
export const ordering = (field: string): { ordering?: Ordering } =>
  field === 'price' || field === 'area' ? { ordering: 'decimal' } : {}

/** Random plans over the exhibits of the museum. */
export class RandomPlans {
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  plan(): Plan {
    const random = this.#random
    return {
      filters: random.list(4, () => this.filter()),
      sort: this.sort(),
      offset: random.pick([0, 0, 0, 0, 1, 19, 500, 7000, 9990, 20_000]),
      limit: random.pick([0, 1, 20, 20, 100]),
    }
  }

  aggregate(): AggregatePlan {
    const random = this.#random
    const groups = ['state', 'kinds', 'tags', 'insured', 'room_id', 'price', 'opens', 'note', 'made', 'key', 'title']
    const ranges = random.list(4, () => random.pick(SORTABLE))
    return {
      filters: random.list(3, () => this.filter()),
      groupBy: [
        ...new Set<GroupKey>(random.list(3, () => random.pick(groups))),
        ...(random.once(3) ? [{ field: random.pick(['made', 'seen']), period: random.pick(DATE_PERIODS) }] : []),
      ],
      sums: [...new Set(random.list(4, () => random.pick(['visits', 'weight', 'price'])))],
      ranges: [...new Set(ranges)].map((field) => ({ field, ...ordering(field) })),
      limit: 1000,
    }
  }

  sort(): SortKey[] {
    const random = this.#random
    return random.list(4, (): SortKey => {
      const order = random.pick(['asc', 'desc'] as const)
      if (!random.once(4)) {
        const field = random.pick(SORTABLE)
        return { field, order, ...ordering(field) }
      }
      const field = random.pick(['name', 'area', 'open', 'id'])
      const only = random.once(2) ? { only: this.#roomFilter(1) } : {}
      return {
        field,
        order,
        ...ordering(field),
        through: { field: random.pick(['room_id', 'spare_id']), target: 'room', ...only },
      }
    })
  }

  filter(depth = 0): Filter {
    const random = this.#random
    switch (random.below(depth > 2 ? 9 : 12)) {
      case 0:
        return { field: random.pick(['room_id', 'spare_id']), target: 'room', filter: this.#roomFilter(depth) }
      case 1:
        return { field: 'tags', target: 'tag', filter: this.#tagFilter() }
      case 9:
        return { any: random.list(4, () => this.filter(depth + 1)) }
      case 10:
        return { all: random.list(3, () => this.filter(depth + 1)) }
      case 11:
        return { not: this.filter(depth + 1) }
      default:
        return this.#fieldFilter()
    }
  }

  #roomFilter(depth: number): Filter {
    const random = this.#random
    const filters: Filter[] = [
      { field: 'name', operator: random.pick(ALL), value: words(random, 1) },
      this.#part('name'),
      { field: 'area', operator: random.pick(ALL), value: decimal(random), ordering: 'decimal' },
      { field: 'open', operator: 'eq', value: random.once(2) },
      { field: 'wing_id', operator: 'isnull', value: random.once(2) },
      { field: 'wing_id', target: 'wing', filter: this.#equality('name', ['West', 'East', 'none']) },
    ]
    return depth < 3 && random.once(4) ? { not: this.#roomFilter(depth + 1) } : random.pick(filters)
  }

  #tagFilter(): Filter {
    const random = this.#random
    const filters: Filter[] = [
      this.#part('name'),
      this.#equality('weight', [1, 2, 3]),
      { field: 'id', operator: 'lte', value: 3 },
    ]
    return random.once(4) ? { not: random.pick(filters) } : random.pick(filters)
  }

  #fieldFilter(): FieldFilter {
    const random = this.#random
    const kinds: (() => FieldFilter)[] = [
      () => this.#part(random.pick(TEXTS)),
      () => this.#part(random.pick(TEXTS)),
      () => this.#order(random.pick(TEXTS), random.pick([random.pick(WORDS), words(random, 2), `${'long '.repeat(70)}b`])),
      () => this.#order('visits', random.pick([0, 1005, 2.5, -5, 1e300, random.below(3000)])),
      () => this.#order('weight', random.pick([0, 0.2, -2.5, 5e-324, random.below(1000) / 7])),
      () => this.#order('price', decimal(random)),
      () => this.#order('made', day(random)),
      () => this.#order('opens', timeOfDay(random)),
      () => this.#order('seen', moment(random)),
      () => this.#order('id', random.below(10_500)),
      () => this.#order('room_id', random.below(ROOMS + 2)),
      () => this.#equality('note', WORDS),
      () => this.#equality('state', ['new', 'shown', 'Lent', 'é']),
      () => this.#equality('kinds', ['oil', 'wood', 'Ton', 'é', 'none']),
      () => this.#equality('tags', [1, 2, 3, TAGS, 99]),
      () => this.#equality('code', ['code-1', 'code-77', 'none']),
      () => this.#equality('key', ['00000001-0000-4000-8000-000000000002']),
      () => this.#equality('price', DECIMALS),
      () => this.#equality('opens', ['10:00:00', '10:00:00.250']),
      () => this.#equality('insured', [true, false]),
      () => this.#equality('room_id', [1, 2, 3, 99]),
      () => ({ field: 'extra', operator: 'isnull', value: random.once(2) }),
      // Values of other types than the field's. No request has null for a list, or the order of booleans, whose indexes differ from `matcher`.
      () => this.#order(random.pick(['visits', 'title', 'made', 'insured', 'weight']), random.pick(['100', 7, 'x', 2.5])),
      () =>
        this.#equality(random.pick(['visits', 'title', 'made', 'insured', 'price', 'seen']), ['1', 7.5, true, '1.50', 'x', null]),
      () => this.#equality(random.pick(['tags', 'kinds']), ['1', 7.5, true, 'x']),
    ]
    return random.pick(kinds)()
  }

  #order(field: string, value: Json): FieldFilter {
    return { field, operator: this.#random.pick(ALL), value, ...ordering(field) }
  }

  #equality(field: string, values: readonly Json[]): FieldFilter {
    const random = this.#random
    switch (random.below(4)) {
      case 0:
        return { field, operator: 'isnull', value: random.once(2) }
      case 1:
        return { field, operator: 'in', values: random.list(5, () => random.pick(values)) }
      default:
        return { field, operator: random.pick(EQUALITY), value: random.pick(values) }
    }
  }

  /** A filter by a part of a text: a word, its beginning or its end, in another case. */
  #part(field: string): FieldFilter {
    const random = this.#random
    const word = [...random.pick(WORDS)]
    const part = random.pick([word, word.slice(0, 2), word.slice(-2), word.slice(1)]).join('')
    const value = random.pick([part, part.toUpperCase(), part.toLowerCase(), `${part} `, 'code-1', 'EXAMPLE', '%', '_'])
    return { field, operator: random.pick(['icontains', 'icontains', 'startswith', 'endswith'] as const), value }
  }
}
