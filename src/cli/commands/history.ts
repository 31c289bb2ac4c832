import { Command } from 'commander'
import { AppError } from '../../errors.ts'
import { printableJson } from '../../util/text.ts'
import { type ApiClient, withApi } from '../api-client.ts'
import type { Io } from '../io.ts'
import { describedModels, firstPages, withModelSuggestion } from '../model-requests.ts'
import { DEFAULT_LIMIT, MAX_LIMIT, parseId, parseLimit } from '../number-options.ts'
import { type RemoteOptions, withRemoteOptions } from '../remote.ts'
import { table } from '../style.ts'

interface HistoryOptions extends RemoteOptions {
  readonly filters?: string[]
  readonly sortBy?: string
  readonly sortOrder?: string
  readonly limit: number
  readonly json?: boolean
}

/** A change as the API returns it. */
interface Entry {
  readonly record_id: number
  readonly action: string
  readonly at: string
  readonly user: { readonly username: string | null } | null
  readonly via: string
  readonly changes: Readonly<Record<string, { readonly before: unknown; readonly after: unknown; readonly secret?: boolean }>>
}

interface Page {
  readonly data: readonly Entry[]
  readonly total: number
  readonly has_next: boolean
}

/** Characters of a value shown in the table; `--json` prints all of it. */
const SHOWN_VALUE = 30

const EXAMPLES = `
Examples:
  $ admin history post 3
  $ admin history post --filters action=delete username=ann
`

/** `admin history`: lists changes of records. Works on a project folder, beside a running server, or on a remote one. */
export function historyCommand(io: Io): Command {
  return withRemoteOptions(new Command('history').description('list changes of records, the latest first'))
    .argument('<model>', 'model of the records, such as post')
    .argument('[id]', 'id of a record (default: all records of the model)', parseId)
    .option(
      '--filters <filter...>',
      'filter changes by action, at, username, user_id, via, record_id or request_id: <field>=<value> or <field>__<operator>=<value>',
    )
    .option('--sort-by <names>', 'fields to sort by, separated by commas (default: the latest first)')
    .option('--sort-order <orders>', 'asc or desc: one for all fields, or one for each, separated by commas')
    .option('--limit <number>', `maximum number of changes, up to ${MAX_LIMIT}`, parseLimit, DEFAULT_LIMIT)
    .option('--json', 'print the changes as a JSON array, with all values')
    .addHelpText('after', EXAMPLES)
    .action(async (model: string, id: number | undefined, options: HistoryOptions) => {
      const list = (api: ApiClient) => withModelSuggestion(api, model, () => firstEntries(api, model, id, options))
      const { data, total } = await withApi(io, options, list, { mode: 'read' })
      io.stdout.write(options.json === true ? `${printableJson(data)}\n` : shown(data))
      if (total > data.length) {
        const shownPart = data.length === 1 ? '1 is shown' : `${data.length} are shown`
        const remedy = options.limit < MAX_LIMIT ? '--limit shows more' : '--filters selects others'
        io.stderr.write(`${total} changes; ${shownPart} (${remedy})\n`)
      }
    })
}

/** Fetches up to `limit` changes. */
async function firstEntries(
  api: ApiClient,
  model: string,
  id: number | undefined,
  { filters = [], sortBy, sortOrder, limit }: HistoryOptions,
): Promise<Page> {
  if (id === undefined) await expectModel(api, model)
  const all = id === undefined ? [...filters, `model=${model}`] : filters
  const query = [...all.map((filter) => ['filters', filter] as const), ['sort_by', sortBy], ['sort_order', sortOrder]] as const
  const path = id === undefined ? '/history' : `/models/${encodeURIComponent(model)}/${id}/history`
  const pages = await firstPages<Page>(api.client, path, query, limit)
  return { ...pages[0], data: pages.flatMap(({ data }) => data).slice(0, limit) }
}

/**
 * Checks that a model exists. The API would answer an empty list: its history of all records takes any name in the filter `model`.
 *
 * @throws {AppError} MODEL_NOT_FOUND
 */
async function expectModel(api: ApiClient, name: string): Promise<void> {
  if (!(await describedModels(api)).has(name)) throw new AppError('MODEL_NOT_FOUND', `Model '${name}' does not exist`)
}

function shown(entries: readonly Entry[]): string {
  const rows = entries.map(({ at, record_id: id, action, user, via, changes }) => [
    at,
    String(id),
    action,
    user === null ? '-' : (user.username ?? '-'),
    via,
    Object.entries(changes)
      .map(([field, change]) => `${field}: ${changeText(change)}`)
      .join(', '),
  ])
  return table(['AT', 'RECORD', 'ACTION', 'USER', 'VIA', 'CHANGES'], rows)
}

const changeText = ({ before, after, secret }: Entry['changes'][string]): string =>
  secret === true ? 'changed' : `${valueText(before)} → ${valueText(after)}`

function valueText(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null'
  return text.length > SHOWN_VALUE ? `${text.slice(0, SHOWN_VALUE - 1)}…` : text
}
