import { excerptOf, type Places } from '../client/excerpt.ts'
import { namesText, type QueryEntries, sortEntries } from '../client/query.ts'
import type { Page, SearchPage } from '../client/types-calls.ts'
import type { SiteSearchResult } from '../client/types-site.ts'
import { textOf } from '../search/tokens.ts'
import type { StoredRecord } from '../store/store.ts'
import { isObject } from '../util/json.ts'
import { meantOrKnown } from '../util/suggest.ts'
import { type Answer, listAnswer, MAX_ANSWER_LENGTH, objectAnswer, pieceOfJson } from './answer.ts'
import { model, offset } from './model-tools.ts'
import { filteredNames, type ModelCall, onModel, visibleModels } from './models.ts'
import { flagArgument, optional, textArgument, textsArgument, wholeArgument } from './parameters.ts'
import { defineTool, type Tool, type ToolScope } from './tool.ts'
import { ToolError } from './tool-error.ts'

/** Maximum page size of the API. */
const MAX_LIMIT = 100
const DEFAULT_LIMIT = 20

const filters = optional(
  textsArgument(
    'Conditions that all must hold: field=value or field__operator=value with the operators ne, in, isnull, icontains, startswith, endswith, gt, gte, lt, lte; through a relation: author__username=ann. Examples: status=draft, rating__gte=4, published_at__isnull=true, status__in=draft,published',
  ),
)
const any = optional(textsArgument('Groups of such conditions, one of which must hold in each: status=draft|author_id=3'))
const sort = optional(textsArgument('Fields to sort by, with a - before one for descending: -published_at'))
const fields = optional(textsArgument('Fields to return; all when absent. Few fields give more records in an answer'))
const include = optional(
  textsArgument(
    'Related records to nest: relation__field (author__username), and records that refer to this one: comments, comments__text',
  ),
)
const limit = optional(wholeArgument('Maximum number of records, 20 when absent', 1, MAX_LIMIT))

const filterEntries = (given: { filters?: readonly string[] | undefined; any?: readonly string[] | undefined }): QueryEntries => [
  ...(given.filters ?? []).map((each) => ['filters', each] as const),
  ...(given.any ?? []).map((each) => ['any', each] as const),
]

const sortedNames = (sort: readonly string[] = []): string[] => sort.map((key) => key.replace(/^-/, ''))

/** Reads the items from an offset on, by one page of the API or, for an offset between pages, by two. */
async function pagesFrom<P extends Page<unknown>>(
  { client }: ModelCall,
  path: string,
  query: QueryEntries,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<{ readonly first: P; readonly pages: readonly P[]; readonly skip: number }> {
  const number = Math.floor(offset / limit) + 1
  const skip = offset % limit
  const page = async (which: number): Promise<P> =>
    (await client.request(path, { query: [...query, ['page', which], ['page_size', limit]] })) as P
  const first = await page(number)
  const pages = skip > 0 && first.has_next ? [first, await page(number + 1)] : [first]
  return { first, pages, skip }
}

const listRecords = defineTool({
  name: 'list_records',
  title: 'List records',
  description:
    'Records of a model, filtered and sorted. The answer has the total and, if there are more, the offset of the next ones. Count or add up with aggregate instead of reading all.',
  parameters: { model, filters, any, sort, fields, include, limit, offset },
  effect: 'reads',
  idempotent: true,
  run(scope, { model: key, filters, any, sort, fields, include, limit = DEFAULT_LIMIT, offset = 0 }) {
    const names = { filters: filteredNames(filters), any: filteredNames(any), sort: sortedNames(sort), fields, include }
    return onModel(scope, { mode: 'read' }, key, names, async (call) => {
      const query: QueryEntries = [
        ...filterEntries({ filters, any }),
        ...sortEntries(sort),
        ['fields', namesText(fields)],
        ['include', namesText(include)],
      ]
      const { first, pages, skip } = await pagesFrom<Page<unknown>>(call, call.path, query, { offset, limit })
      const items = pages.flatMap(({ data }) => data).slice(skip, skip + limit)
      return listAnswer({
        items: items.map((record) => call.shown(record)),
        ...{ offset, total: first.total, noun: 'records', shorter: 'name fewer fields' },
        rest: (member) => `read_record with fields ["${member}"] has more`,
      })
    })
  },
})

const id = wholeArgument('Id of the record', 0)

const readRecord = defineTool({
  name: 'read_record',
  title: 'Read a record',
  description:
    'One record, with its etag, which update_record takes as if_match. A value that is too long for an answer is read in pieces: name one field, and `from`.',
  parameters: {
    model,
    id,
    fields,
    include,
    from: optional(wholeArgument('Character to begin at, for a single field whose value is longer than an answer', 0)),
  },
  effect: 'reads',
  idempotent: true,
  run(scope, { model: key, id, fields, include, from }) {
    const [field] = fields ?? []
    if (from !== undefined && (field === undefined || fields?.length !== 1))
      throw new ToolError("'from' is for one field; name it alone in 'fields'")
    return onModel(scope, { mode: 'read' }, key, { fields, include }, async (call) => {
      const { data, etag } = await call.client.model(key).read(id, { fields, include })
      const record = call.shown(data)
      if (field !== undefined && fields?.length === 1 && isObject(record)) {
        const value = record[field]
        const whole = typeof value === 'string' ? value : JSON.stringify(value ?? null)
        if (from !== undefined || whole.length > MAX_ANSWER_LENGTH - 2000) return valueAnswer(id, field, whole, from ?? 0)
      }
      return objectAnswer({ data: record, etag }, 'data', (name) => `read_record with fields ["${name}"] has it all`)
    })
  },
})

/** A piece of a long value, which has room even if each character is escaped. */
function valueAnswer(id: number, field: string, value: string, from: number): Answer {
  const part = pieceOfJson(value, from, MAX_ANSWER_LENGTH - 1000)
  const end = from + part.length
  const next = end < value.length ? { next: { from: end }, note: `For the rest, call again with from ${end}.` } : {}
  return { json: { id, field, from, total: value.length, value: part, ...next } }
}

/** How much of a text an excerpt has. */
const EXCERPT = { length: 240, lead: 80 }

const searchTool = defineTool({
  name: 'search',
  title: 'Search the text of records',
  description:
    'Full-text search, by relevance: in all models, or in one with excerpts, filters and fields to return. Words, no query syntax; the last may be the beginning of one.',
  parameters: {
    q: textArgument('Words to search for'),
    model: optional(model),
    fuzzy: optional(flagArgument('Also find similar words, such as misspelt ones; for one model')),
    search_in: optional(textsArgument('Fields to search, for one model; all texts when absent')),
    filters,
    fields: optional(textsArgument('Fields to return with each hit, for one model')),
    limit: optional(wholeArgument('Maximum number of hits, 20 when absent; up to 50 in all models', 1, MAX_LIMIT)),
    offset,
  },
  effect: 'reads',
  idempotent: true,
  run(scope, { model: key, ...given }) {
    if (key !== undefined) return searchModel(scope, key, given)
    const ofModel = (['fuzzy', 'search_in', 'filters', 'fields', 'offset'] as const).filter((name) => given[name] !== undefined)
    if (ofModel.length > 0)
      throw new ToolError(`${ofModel.map((name) => `'${name}'`).join(', ')}: for one model; name it in 'model'`)
    return searchAll(scope, given)
  },
})

type SearchArguments = Readonly<{
  q: string
  fuzzy: boolean | undefined
  search_in: readonly string[] | undefined
  filters: readonly string[] | undefined
  fields: readonly string[] | undefined
  limit: number | undefined
  offset: number | undefined
}>

function searchModel(scope: ToolScope, key: string, given: SearchArguments): Promise<Answer> {
  const { q, fuzzy, search_in, filters, fields, limit = DEFAULT_LIMIT, offset = 0 } = given
  const names = { filters: filteredNames(filters), fields, search_in }
  return onModel(scope, { mode: 'read', search: key }, key, names, async (call) => {
    const query: QueryEntries = [['q', q], ['fuzzy', fuzzy], ['fields', namesText(search_in)], ...filterEntries({ filters })]
    const { first, pages, skip } = await pagesFrom<SearchPage<StoredRecord>>(call, `${call.path}/search`, query, {
      offset,
      limit,
    })
    const records = pages.flatMap(({ data }) => data).slice(skip, skip + limit)
    const hits = pages.flatMap((page) => page.hits).slice(skip, skip + limit)
    const items = records.map((record, index) => {
      const { score, matches = {} } = hits[index] ?? {}
      return { id: record.id, score, excerpts: excerpts(record, matches), ...chosen(call.shown(record), fields) }
    })
    const { notices, missing } = first
    const others = { ...(notices === undefined ? {} : { notices }), ...(missing === undefined ? {} : { missing }) }
    return listAnswer({ items, offset, total: first.total, noun: 'hits', shorter: 'name fewer fields', others })
  })
}

const excerpts = (record: StoredRecord, matches: Readonly<Record<string, Places>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(matches).map(([field, places]) => {
      const pieces = excerptOf(textOf(record, field), places, EXCERPT)
      return [field, pieces.map(({ text }) => text).join('')]
    }),
  )

/** The members of a record that a call names. @throws {ToolError} for one that it does not have */
function chosen(record: unknown, fields: readonly string[] | undefined): object {
  if (fields === undefined || !isObject(record)) return {}
  const unknown = fields.find((name) => !Object.hasOwn(record, name))
  if (unknown !== undefined) {
    throw new ToolError(`fields: Unknown field '${unknown}'${meantOrKnown(unknown, Object.keys(record))}`)
  }
  return { record: Object.fromEntries(fields.map((name) => [name, record[name]])) }
}

const MAX_SITE_HITS = 50

function searchAll(scope: ToolScope, { q, limit = DEFAULT_LIMIT }: SearchArguments): Promise<Answer> {
  return scope.place.withClient({ mode: 'read', search: true }, async (client) => {
    const models = scope.models === undefined ? undefined : await visibleModels(client, scope)
    const searched = models?.filter(({ searchable, can }) => searchable && can.includes('view')).map(({ key }) => key)
    if (searched?.length === 0) return listAnswer({ items: [], offset: 0, total: 0, noun: 'hits' })
    const found = (await client.search(q, { models: searched, limit: Math.min(limit, MAX_SITE_HITS) })) as SiteSearchResult
    const items = found.data.map(({ model, id, label, score, matches }) => ({
      model,
      id,
      label,
      score,
      matched: Object.keys(matches),
    }))
    return listAnswer({ items, offset: 0, total: found.total, noun: 'hits', way: 'They are the best; for more, name a model.' })
  })
}

const aggregate = defineTool({
  name: 'aggregate',
  title: 'Count and add up records',
  description:
    'Numbers of records, sums, averages, least and greatest values, of all or by groups. Dates are grouped by day, week, month or year: created_at:month.',
  parameters: {
    model,
    group_by: optional(textsArgument('Up to four fields; a date with a period: created_at:month')),
    count: optional(flagArgument('Count the records; done anyway if nothing else is asked for')),
    sum: optional(textsArgument('Fields to add up')),
    avg: optional(textsArgument('Fields to average')),
    min: optional(textsArgument('Fields of which to find the least value')),
    max: optional(textsArgument('Fields of which to find the greatest value')),
    ...{ filters, any, offset },
  },
  effect: 'reads',
  idempotent: true,
  run(scope, { model: key, group_by, count, filters, any, offset = 0, ...measures }) {
    const grouped = group_by?.map((name) => name.split(':')[0] ?? '')
    const names = { filters: filteredNames(filters), any: filteredNames(any), group_by: grouped, ...measures }
    return onModel(scope, { mode: 'read' }, key, names, async ({ client, path }) => {
      const query: QueryEntries = [
        ['group_by', namesText(group_by)],
        ['count', count],
        ...(['sum', 'avg', 'min', 'max'] as const).map((name) => [name, namesText(measures[name])] as const),
        ...filterEntries({ filters, any }),
      ]
      const { data } = (await client.request(`${path}/aggregate`, { query })) as { data: readonly unknown[] }
      return listAnswer({ items: data.slice(offset), offset, total: data.length, noun: 'groups' })
    })
  },
})

/** Tools that read records. */
export const RECORD_TOOLS: readonly Tool[] = [listRecords, readRecord, searchTool, aggregate]
