import { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import { excerptOf, type Places } from '../../client/excerpt.ts'
import type { Positions } from '../../search/query.ts'
import { isSearchable } from '../../search/search-engine.ts'
import { textOf } from '../../search/tokens.ts'
import type { StoredRecord } from '../../store/store.ts'
import { printable, printableJson, UNPRINTABLE } from '../../util/text.ts'
import { type ApiClient, withApi } from '../api-client.ts'
import type { Io } from '../io.ts'
import { describedModels, firstPages, withModelSuggestion } from '../model-requests.ts'
import { DEFAULT_LIMIT, MAX_LIMIT, parseLimit } from '../number-options.ts'
import { type RemoteOptions, withRemoteOptions } from '../remote.ts'
import { counted, painter } from '../style.ts'

interface SearchOptions extends RemoteOptions {
  readonly fuzzy?: boolean
  readonly complete?: boolean
  readonly fields?: string
  readonly sortBy?: string
  readonly sortOrder?: string
  readonly limit: number
  readonly json?: boolean
}

/** The part of the API's search response that the command prints. */
interface SearchResponse {
  readonly data: readonly StoredRecord[]
  readonly total: number
  readonly page: number
  readonly page_size: number
  readonly has_next: boolean
  readonly hits: readonly { readonly id: number; readonly matches: Positions }[]
  readonly missing?: number
  readonly notices?: readonly string[]
}

/** `admin search`: full-text search in one model. Works on a project folder, beside a running server, or on a remote one. */
export function searchCommand(io: Io): Command {
  return withRemoteOptions(new Command('search').description('search the text of records'))
    .argument('<model>', 'model to search, such as post')
    .argument('<words...>', 'words to search for; the last one may be the beginning of a word')
    .option('--fuzzy', 'also find similar words, such as misspelt ones')
    .option('--complete', 'fail where records are missing, since many changed at once')
    .option('--fields <names>', 'fields to search, separated by commas (default: all searchable fields)')
    .option('--sort-by <names>', 'fields to sort by, separated by commas (default: by relevance)')
    .option('--sort-order <orders>', 'asc or desc: one for all fields, or one for each, separated by commas')
    .option('--limit <number>', `maximum number of records to show, up to ${MAX_LIMIT}`, parseLimit, DEFAULT_LIMIT)
    .option('--json', 'print the records and the positions of the matches as JSON')
    .addHelpText('after', '\nExample:\n  $ admin search post night ferry --fuzzy\n')
    .action((model: string, words: string[], options: SearchOptions) =>
      withApi(io, options, (api) => withModelSuggestion(api, model, () => search(api, model, words, options, io)), {
        mode: 'read',
      }),
    )
}

async function search(api: ApiClient, model: string, words: readonly string[], options: SearchOptions, io: Io): Promise<void> {
  await buildIndex(api, model)
  const found = await firstHits(api.client, model, words, options)
  if (options.json === true) {
    io.stdout.write(`${printableJson(found)}\n`)
  } else {
    const known = await describedModels(api)
    io.stdout.write(shown(found, known.get(model) ?? 'id', io))
  }
  for (const line of [...(found.notices ?? []), ...missingNotice(found), summaryOf(found)])
    io.stderr.write(`${printable(line)}\n`)
}

/** Builds the search index in this process. A server builds its own, and responds with an error until it is ready. */
async function buildIndex({ app }: ApiClient, key: string): Promise<void> {
  const model = app?.project.registry.get(key)
  if (model !== undefined && isSearchable(model)) await app?.searchIndexes.make(model)
}

/** Fetches up to `limit` records as one page. */
async function firstHits(
  client: Client,
  model: string,
  words: readonly string[],
  { fuzzy = false, complete = false, fields, sortBy, sortOrder, limit }: SearchOptions,
): Promise<SearchResponse> {
  const query = [
    ...([
      ['q', words.join(' ')],
      ['fuzzy', fuzzy],
      ['complete', complete || undefined],
      ['fields', fields],
    ] as const),
    ...([
      ['sort_by', sortBy],
      ['sort_order', sortOrder],
    ] as const),
  ]
  const pages = await firstPages<SearchResponse>(client, `/models/${encodeURIComponent(model)}/search`, query, limit)
  const [first] = pages
  const [data, hits] = [pages.flatMap((page) => page.data), pages.flatMap((page) => page.hits)]
  const total = first.total
  const totals = { total, page: 1, page_size: limit, total_pages: Math.ceil(total / limit), has_next: limit < total }
  return { ...first, data: data.slice(0, limit), ...totals, hits: hits.slice(0, limit) }
}

function missingNotice({ missing }: SearchResponse): string[] {
  return missing === undefined
    ? []
    : [`${counted(missing, 'record')} changed and cannot be searched yet; the result may be incomplete`]
}

function summaryOf({ total, hits }: SearchResponse): string {
  if (total === 0) return 'Nothing found'
  const found = `${counted(total, 'record')} found`
  return hits.length < total ? `${found}; ${hits.length === 1 ? 'the first is' : `the first ${hits.length} are`} shown` : found
}

/** Formats each record: a line with its id and display field, then a line per other field with a match. */
function shown({ data, hits }: SearchResponse, displayField: string, io: Io): string {
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

/** How much of a long text is shown. */
const LIMITS = { length: 100, lead: 30 }

/**
 * Returns up to 100 code units of a text around the first match as one line, with every match in it highlighted and `…` where it is cut.
 *
 * @param mark highlights a piece of text
 */
export function excerpt(text: string, matches: Places, mark: (piece: string) => string): string {
  // Each character is replaced by one code unit, so the positions of matches stay valid.
  const pieces = excerptOf(text.replaceAll(UNPRINTABLE, ' '), matches, LIMITS)
  return pieces
    .map((piece) => (piece.isMatch ? mark(piece.text) : piece.text))
    .join('')
    .replaceAll(/ {2,}/g, ' ')
}
