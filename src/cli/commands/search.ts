import { Command, InvalidArgumentError } from 'commander'
import type { App } from '../../app.ts'
import { SYSTEM } from '../../auth/permissions.ts'
import { parseSearchRequest } from '../../query/parse.ts'
import { textOf } from '../../search/search-index.ts'
import type { SearchPage } from '../../service/searches.ts'
import { excerpt } from '../excerpt.ts'
import type { Io } from '../io.ts'
import { printableJson } from '../printable.ts'
import { modelNamed, type ProjectOptions, withApp, withProjectOptions } from '../project-options.ts'
import { painter } from '../style.ts'

interface SearchOptions extends ProjectOptions {
  readonly fuzzy?: boolean
  readonly fields?: string
  readonly limit: number
  readonly json?: boolean
}

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 1000

/** `admin search`: searches the text of one model's records. Works beside a running server. */
export function searchCommand(io: Io): Command {
  return withProjectOptions(new Command('search').description('search the text of records'))
    .argument('<model>', 'whose records, such as post')
    .argument('<words...>', 'what to search for; the last word may be the beginning of one')
    .option('--fuzzy', 'find misspelt words too')
    .option('--fields <names>', 'fields to look into, with commas between them (default: all that are searchable)')
    .option('--limit <number>', `how many records to show, at most ${MAX_LIMIT}`, parseLimit, DEFAULT_LIMIT)
    .option('--json', 'print the records and where the words are in them as JSON')
    .addHelpText('after', '\nExample:\n  $ admin search post night ferry --fuzzy\n')
    .action((model: string, words: string[], options: SearchOptions) =>
      withApp(io, options, 'read', (app) => search(app, model, words, options, io)),
    )
}

async function search(app: App, modelKey: string, words: readonly string[], options: SearchOptions, io: Io): Promise<void> {
  const { searches, searchIndexes, project } = app
  const model = modelNamed(project.registry, modelKey)
  const { fuzzy = false, fields, limit } = options
  const asked = new URLSearchParams({ q: words.join(' '), fuzzy: String(fuzzy), ...(fields === undefined ? {} : { fields }) })
  const request = { ...parseSearchRequest(asked, model, project.registry), page: { page: 1, pageSize: limit } }
  await searchIndexes.make(model)
  const found = await searches.find(SYSTEM, model.key, request)
  if (options.json === true) {
    const page: unknown = JSON.parse(await searches.json(SYSTEM, request, found))
    io.stdout.write(`${printableJson(page)}\n`)
  } else {
    io.stdout.write(shown(found, io))
  }
  for (const line of [...found.notices, countOf(found)]) io.stderr.write(`${line}\n`)
}

function countOf({ total, hits }: SearchPage): string {
  if (total === 0) return 'Nothing found'
  const found = `${total} ${total === 1 ? 'record' : 'records'} found`
  return hits.length < total ? `${found}; ${hits.length === 1 ? 'the first is' : `the first ${hits.length} are`} shown` : found
}

/** For each record a line with its id and what it is known by, and below it the other fields in which something was found. */
function shown({ model, hits, matchesIn }: SearchPage, io: Io): string {
  const paint = painter(io.stdout, io.env)
  const mark = (piece: string) => paint(['bold', 'yellow'], piece)
  const indent = Math.max(...hits.map(({ id }) => String(id).length)) + 2
  const lines = hits.flatMap(({ id, record }) => {
    const { [model.displayField]: inName = [], ...others } = matchesIn(record)
    const name = model.displayField === 'id' ? '' : excerpt(textOf(record, model.displayField), inName, mark)
    const head = `${paint('cyan', String(id).padEnd(indent))}${name}`.trimEnd()
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
