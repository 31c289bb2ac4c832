import type { Field } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import { reverseRelations } from '../model/reverse-relations.ts'
import { isAddable, isGroupable } from '../query/aggregate.ts'
import { MAX_FILTERS } from '../query/filters.ts'
import { DEFAULT_FORMAT, EXPORT_FORMATS } from '../query/formats.ts'
import { DATE_PERIODS, hasPeriods } from '../query/periods.ts'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_RECORDS } from '../query/plan.ts'
import { MAX_REFERRERS } from '../reads/record-json.ts'
import type { ParameterObject } from './operation.ts'
import { oneName, type Schema } from './schema.ts'

/** Suffix of a filter operator; empty for equality. */
const suffix = (operator: string): string => (operator === 'eq' ? '' : `__${operator}`)

/** Filter names on the model's own fields: `title`, `title__icontains`. */
export const filterNames = (model: Model): string[] =>
  model.visibleFields.flatMap(({ name, type }) => type.operators.map((operator) => name + suffix(operator)))

/** Filter names through each relation: `author__username`. */
export const relatedFilterNames = (model: Model, registry: Registry): string[] =>
  [...model.relations].flatMap(([name, { relation }]) =>
    filterNames(registry.expect(relation.target)).map((inner) => `${name}__${inner}`),
  )

/** The pairs of relations that filters may go through: `author__groups`. */
export const relationPairs = (model: Model, registry: Registry): string[] =>
  [...model.relations].flatMap(([name, { relation }]) =>
    [...registry.expect(relation.target).relations.keys()].map((inner) => `${name}__${inner}`),
  )

/** Fields that lists can be sorted by: `title`, `author.username`. */
export const sortKeys = (model: Model, registry: Registry): string[] => [
  ...sortableFields(model),
  ...[...model.relations.values()].flatMap(({ relation: { kind, name, target } }) =>
    kind === 'many' ? [] : sortableFields(registry.expect(target)).map((field) => `${name}.${field}`),
  ),
]

const sortableFields = (model: Model): string[] => model.visibleFields.filter(({ type }) => type.sortable).map(({ name }) => name)

/** Values that `fields` accepts. */
export const columnNames = (model: Model, registry: Registry): string[] => [
  ...ownColumnNames(model),
  ...[...reverseRelations(model, registry).keys()].map((name) => `${name}__count`),
]

const ownColumnNames = (model: Model): string[] => [
  ...model.visibleFields.map(({ name }) => name),
  ...[...model.relations.keys()].filter((name) => !model.fields.has(name)),
]

/** Values that `include` accepts: `author__username`, `comments`, `comments__count`. */
export const includeNames = (model: Model, registry: Registry): string[] => [
  ...[...model.relations].flatMap(([name, { relation }]) => nestedNames(name, registry.expect(relation.target))),
  ...[...reverseRelations(model, registry).values()].flatMap(({ name, model: referrer }) => [
    name,
    `${name}__count`,
    ...nestedNames(name, referrer),
  ]),
]

const nestedNames = (name: string, model: Model): string[] =>
  model.visibleFields.filter((field) => field.relation?.kind !== 'many').map((field) => `${name}__${field.name}`)

/** Fields that the full-text search covers. */
export const searchedFields = (model: Model): string[] =>
  model.visibleFields.filter(({ searchable }) => searchable).map(({ name }) => name)

/** A parameter that takes names, separated by commas or repeated. */
export const namesParameter = (name: string, description: string, items: Schema): ParameterObject => ({
  name,
  in: 'query',
  description: `${description}; repeated or with commas`,
  style: 'form',
  explode: true,
  schema: { type: 'array', items, minItems: 1 },
})

/** Parameters of pagination. */
export const PAGE: readonly ParameterObject[] = [
  { name: 'page', in: 'query', description: 'Which page, from 1', schema: { type: 'integer', minimum: 1, default: 1 } },
  {
    name: 'page_size',
    in: 'query',
    description: 'Records of a page',
    schema: { type: 'integer', minimum: 1, maximum: MAX_PAGE_RECORDS, default: DEFAULT_PAGE_SIZE },
  },
]

/** Parameter of searches. */
export const COMPLETE: ParameterObject = {
  name: 'complete',
  in: 'query',
  description: 'Answer 503 where records would be missing',
  schema: { type: 'boolean', default: false },
}

/** Parameter of writes. */
export const DRY_RUN: ParameterObject = {
  name: 'dry_run',
  in: 'query',
  description: 'Do everything but the commit: answer what would be stored, or the same errors',
  schema: { type: 'boolean', default: false },
}

function filtersOf(model: Model, registry: Registry): ParameterObject[] {
  const own = model.visibleFields.map(({ name }) => name)
  const names = [...new Set([...own, ...model.relations.keys()])]
  const related = relatedFilterNames(model, registry).length > 0
  const pattern = `^(${names.join('|')})(__[A-Za-z0-9_]+)?=`
  const filters: ParameterObject = {
    name: 'filters',
    in: 'query',
    description: [
      '`<field>=<value>` or `<field>__<operator>=<value>`, as often as is needed; all must hold.',
      related ? 'Through one relation or two: `<relation>__<field>__<operator>=<value>`.' : '',
      '`__in` takes values between commas, `__isnull` true or false.',
      `Known: ${filterNames(model).join(' ')}`,
    ]
      .filter(Boolean)
      .join(' '),
    style: 'form',
    explode: true,
    schema: { type: 'array', items: { type: 'string', pattern }, maxItems: MAX_FILTERS },
  }
  const any: ParameterObject = {
    name: 'any',
    in: 'query',
    description:
      'Filters with `|` between them, of which at least one must hold: `<filter>|<filter>`. `\\|` is a bar, `\\\\` a backslash. ' +
      'Repeated, each group must.',
    style: 'form',
    explode: true,
    schema: filters.schema,
  }
  return [filters, any]
}

const fieldsParameter = (columns: readonly string[]): ParameterObject =>
  namesParameter('fields', 'What of each record to answer with; `id` always is', oneName(columns))

const INCLUDED = `Fields of related records, \`<relation>__<field>\`; of records that refer to a record, all fields or some of the first ${MAX_REFERRERS}, or their number`

/** Parameters that select the members of a returned record. */
export function projectionParameters(model: Model, registry: Registry): ParameterObject[] {
  const included = includeNames(model, registry)
  const fields = fieldsParameter(columnNames(model, registry))
  if (included.length === 0) return [fields]
  return [fields, namesParameter('include', INCLUDED, oneName(included))]
}

const sortParameters = (model: Model, registry: Registry): ParameterObject[] => [
  namesParameter(
    'sort_by',
    'Fields to sort by, where searches sort by relevance; the last tie is broken by `id`',
    oneName(sortKeys(model, registry)),
  ),
  namesParameter('sort_order', 'One for all of `sort_by`, or one for each', oneName(['asc', 'desc'])),
]

/** Parameter of lists. */
const EDITING: ParameterObject = {
  name: 'editing',
  in: 'query',
  description: 'Also answer the `etags` of the records, and in `can` what the user may do with each: `change`, `delete`',
  schema: { type: 'boolean', default: false },
}

/** Parameters of a list. */
export const listParameters = (model: Model, registry: Registry): ParameterObject[] => [
  ...PAGE,
  ...projectionParameters(model, registry),
  ...filtersOf(model, registry),
  ...sortParameters(model, registry),
  EDITING,
]

/** Parameters of a list whose records are returned as they are. */
export const plainListParameters = (model: Model, registry: Registry): ParameterObject[] => [
  ...PAGE,
  ...filtersOf(model, registry),
  ...sortParameters(model, registry),
]

/** Parameters of an aggregate. */
export function aggregateParameters(model: Model, registry: Registry): ParameterObject[] {
  const namesOf = (fields: readonly Field[]) => oneName(fields.map(({ name }) => name))
  const fields = model.visibleFields
  const [added, ordered] = [fields.filter(isAddable), fields.filter(({ type }) => type.sortable)]
  const totals = [
    namesParameter('sum', 'Fields to add up; sums are exact, those of decimals are text', namesOf(added)),
    namesParameter('avg', 'Fields to average', namesOf(added)),
  ]
  const dates = fields.filter(hasPeriods).map(({ name }) => name)
  const period: Schema = { type: 'string', pattern: `^(${dates.join('|')}):(${DATE_PERIODS.join('|')})$` }
  const values = namesOf(fields.filter(isGroupable))
  return [
    namesParameter(
      'group_by',
      `Fields whose values make a group; without it all records are one${dates.length > 0 ? `; or periods in UTC, \`${dates[0]}:week\`` : ''}`,
      dates.length > 0 ? { anyOf: [values, period] } : values,
    ),
    {
      name: 'count',
      in: 'query',
      description: 'Count the records; done where nothing else is asked for',
      schema: { type: 'boolean' },
    },
    ...(added.length === 0 ? [] : totals),
    namesParameter('min', 'Fields whose least value to find', namesOf(ordered)),
    namesParameter('max', 'Fields whose greatest value to find', namesOf(ordered)),
    ...filtersOf(model, registry),
  ]
}

/** Parameters of an export of what people read. They are the same for every model. */
const LABELS: readonly ParameterObject[] = [
  {
    name: 'labels',
    in: 'query',
    description: 'CSV and XLSX with titles, labels of choices and names of related records, in the order of `fields`',
    schema: { type: 'boolean', default: false },
  },
  { name: 'list_id', in: 'query', description: 'The list view whose titles and labels are used', schema: { type: 'string' } },
  {
    name: 'time_zone',
    in: 'query',
    description: 'Of dates with a time under `labels`, such as `Europe/Berlin`',
    schema: { type: 'string', default: 'UTC' },
  },
]

/** Parameters of an export. */
export const exportParameters = (model: Model, registry: Registry): ParameterObject[] => [
  {
    name: 'format',
    in: 'query',
    description: 'What the file is; NDJSON is a record a line',
    schema: { type: 'string', enum: [...EXPORT_FORMATS], default: DEFAULT_FORMAT },
  },
  {
    name: 'bom',
    in: 'query',
    description: 'Begin CSV with a byte order mark, by which spreadsheets recognise UTF-8',
    schema: { type: 'boolean', default: false },
  },
  ...LABELS,
  fieldsParameter(ownColumnNames(model)),
  ...filtersOf(model, registry),
  ...sortParameters(model, registry),
]

/** Parameters of a search. */
export function searchParameters(model: Model, registry: Registry): ParameterObject[] {
  const searched = searchedFields(model)
  const where = namesParameter('fields', 'Fields to search; all of those that can be where it is absent', oneName(searched))
  return [
    { name: 'q', in: 'query', description: 'What to search for', required: true, schema: { type: 'string', minLength: 1 } },
    ...(searched.length === 0 ? [] : [where]),
    {
      name: 'fuzzy',
      in: 'query',
      description: 'Also find words that are nearly the same',
      schema: { type: 'boolean', default: false },
    },
    COMPLETE,
    ...PAGE,
    ...filtersOf(model, registry),
    ...sortParameters(model, registry),
    ...projectionParameters(model, registry).filter(({ name }) => name === 'include'),
  ]
}
