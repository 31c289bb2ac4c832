import { Command, InvalidArgumentError } from 'commander'
import type { Positions } from '../../search/highlight.ts'
import { textOf } from '../../search/search-index.ts'
import { isSearchable } from '../../service/queries/search-indexes.ts'
import type { StoredRecord } from '../../store/store.ts'
import { type ApiClient, withApi } from '../api/api-client.ts'
import { aboutModel, describedModels } from '../api/described-models.ts'
import { type RemoteOptions, withRemoteOptions } from '../api/remote.ts'
import { withRetries } from '../api/retry-limit.ts'
import { excerpt } from '../terminal/excerpt.ts'
import type { Io } from '../terminal/io.ts'
import { printableJson } from '../terminal/printable.ts'
import { painter } from '../terminal/style.ts'

interface SearchOptions extends RemoteOptions {
  readonly fuzzy?: boolean
  readonly fields?: string
  readonly limit: number
  readonly json?: boolean
}

/** What the API answers of a search, as far as it is looked at. */
interface SearchAnswer {
  readonly data: readonly StoredRecord[]
  readonly total: number
  readonly page: number
  readonly page_size: number
  readonly has_next: boolean
  readonly hits: readonly { readonly id: number; readonly matches: Positions }[]
  readonly notices?: readonly string[]
}

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 1000
/** The most that the API answers at once. */
const MAX_PAGE = 100

/** `admin search`: searches the text of one model's records. A running server is asked, here or elsewhere. */
export function searchCommand(io: Io): Command {
  return withRemoteOptions(new Command('search').description('search the text of records'))
    .argument('<model>', 'whose records, such as post')
    .argument('<words...>', 'what to search for; the last word may be the beginning of one')
    .option('--fuzzy', 'find misspelt words too')
    .option('--fields <names>', 'fields to look into, with commas between them (default: all that are searchable)')
    .option('--limit <number>', `how many records to show, at most ${MAX_LIMIT}`, parseLimit, DEFAULT_LIMIT)
    .option('--json', 'print the records and where the words are in them as JSON')
    .addHelpText('after', '\nExample:\n  $ admin search post night ferry --fuzzy\n')
    .action((model: string, words: string[], options: SearchOptions) =>
      withApi(io, options, (client) => aboutModel(client, model, () => search(client, model, words, options, io)), {
        mode: 'read',
      }),
    )
}

async function search(client: ApiClient, model: string, words: readonly string[], options: SearchOptions, io: Io): Promise<void> {
  await makeIndex(client, model)
  const found = await firstHits(client, model, words, options, io)
  if (options.json === true) {
    io.stdout.write(`${printableJson(found)}\n`)
  } else {
    const known = await describedModels(client)
    io.stdout.write(shown(found, known.get(model) ?? 'id', io))
  }
  for (const line of [...(found.notices ?? []), countOf(found)]) io.stderr.write(`${line}\n`)
}

/** Where nobody serves there is time for it; a server says when it has one. */
async function makeIndex({ app }: ApiClient, key: string): Promise<void> {
  const model = app?.project.registry.get(key)
  if (model !== undefined && isSearchable(model)) await app?.searchIndexes.make(model)
}

/** As many as are to be shown, as one page: the API answers fewer at once. */
async function firstHits(
  { request }: ApiClient,
  model: string,
  words: readonly string[],
  { fuzzy = false, fields, limit }: SearchOptions,
  io: Io,
): Promise<SearchAnswer> {
  const size = Math.min(limit, MAX_PAGE)
  const pages: SearchAnswer[] = []
  do {
    const query = new URLSearchParams({ q: words.join(' '), fuzzy: String(fuzzy), page_size: String(size) })
    if (fields !== undefined) query.set('fields', fields)
    query.set('page', String(pages.length + 1))
    pages.push(await withRetries(io, () => request('GET', `/models/${encodeURIComponent(model)}/search?${query}`)))
  } while (pages.at(-1)?.has_next === true && pages.length * size < limit)
  const [first] = pages as [SearchAnswer]
  const [data, hits] = [pages.flatMap((page) => page.data), pages.flatMap((page) => page.hits)]
  const total = first.total
  const totals = { total, page: 1, page_size: limit, total_pages: Math.ceil(total / limit), has_next: limit < total }
  return { ...first, data: data.slice(0, limit), ...totals, hits: hits.slice(0, limit) }
}

function countOf({ total, hits }: SearchAnswer): string {
  if (total === 0) return 'Nothing found'
  const found = `${total} ${total === 1 ? 'record' : 'records'} found`
  return hits.length < total ? `${found}; ${hits.length === 1 ? 'the first is' : `the first ${hits.length} are`} shown` : found
}

/** For each record a line with its id and what it is known by, and below it the other fields in which something was found. */
function shown({ data, hits }: SearchAnswer, displayField: string, io: Io): string {
  const paint = painter(io.stdout, io.env)
  const mark = (piece: string) => paint(['bold', 'yellow'], piece)
  const indent = Math.max(...hits.map(({ id }) => String(id).length)) + 2
  const lines = data.flatMap((record, index) => {
    const { [displayField]: inName = [], ...others } = hits[index]?.matches ?? {}
    const name = displayField === 'id' ? '' : excerpt(textOf(record, displayField), inName, mark)
    const head = `${paint('cyan', String(record.id).padEnd(indent))}${name}`.trimEnd()
    const below = Object.entries(others).map(
      ([field, places]) => `${' '.repeat(indent)}${paint('dim', `${field}:`)} ${excerpt(textOf(record, field), places, mark)}`,
    )
    return [head, ...below]
  })
  return lines.map((line) => `${line}\n`).join('')
}

function parseLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > MAX_LIMIT) throw new InvalidArgumentError(`The limit is a number from 1 to ${MAX_LIMIT}.`)
  return limit
}
