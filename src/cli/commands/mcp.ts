import { Writable } from 'node:stream'
import { Command } from 'commander'
import pLimit from 'p-limit'
import type { Client } from '../../client/client.ts'
import type { RetryLimits } from '../../client/transport.ts'
import type { LintReport } from '../../client/types-site.ts'
import { DEFAULTS } from '../../config/settings.ts'
import { jsonReport } from '../../lint/formats.ts'
import type { McpPlace, Purpose } from '../../mcp/tool.ts'
import type { OpenApiDocument } from '../../openapi/operation.ts'
import { lintProject } from '../../project/lint.ts'
import { VERSION } from '../../util/files.ts'
import { type ApiClient, withApi } from '../api-client.ts'
import type { Io } from '../io.ts'
import { sourceOf } from '../project-options.ts'
import { type RemoteOptions, remoteOf, withRemoteOptions } from '../remote.ts'

interface McpCommandOptions extends RemoteOptions {
  readonly readOnly?: boolean
  readonly models?: readonly string[]
}

const HELP = `
The agent starts the command and speaks with it over stdin and stdout; messages go to stderr.

Examples:
  $ admin mcp --project shop --read-only
  $ admin mcp --url https://admin.example.com --models article,tag
`

/** `admin mcp`: a server of the Model Context Protocol for agents, over stdin and stdout. */
export function mcpCommand(io: Io): Command {
  return withRemoteOptions(
    new Command('mcp').description('let agents work with records, by the Model Context Protocol on stdin and stdout'),
  )
    .option('--read-only', 'offer no tool that changes records')
    .option('--models <names>', 'take these models only, separated by commas (default: all that the rights allow)', names)
    .addHelpText('after', HELP)
    .action(async ({ readOnly = false, models, ...options }: McpCommandOptions) => {
      // A wrong address or a missing token ends the command, rather than each call of a tool.
      const isRemote = remoteOf(io, options) !== undefined
      const place = isRemote ? new RemotePlace(io, options) : new LocalPlace(io, options)
      const onFault = (error: unknown) => io.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
      const { serveOverStdio } = await import('../../mcp/stdio.ts')
      await withoutConsole(io, () =>
        serveOverStdio(
          { place, readOnly, ...(models === undefined ? {} : { models }), onFault },
          { stdin: io.stdin, stdout: streamOf(io.stdout), stopped: io.stopRequested() },
        ),
      )
    })
}

const { admin_path: DEFAULT_ADMIN_PATH } = DEFAULTS

const names = (text: string): readonly string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

/** stdout as a stream. */
const streamOf = (stdout: Io['stdout']): Writable =>
  new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _, done) {
      stdout.write(String(chunk))
      done()
    },
  })

/** Runs work while what the code of a project prints goes to stderr: stdout is the protocol's. */
async function withoutConsole<T>({ stderr }: Io, work: () => Promise<T>): Promise<T> {
  const { log, info, debug } = console
  const print = (...words: unknown[]) => void stderr.write(`${words.map(String).join(' ')}\n`)
  Object.assign(console, { log: print, info: print, debug: print })
  try {
    return await work()
  } finally {
    Object.assign(console, { log, info, debug })
  }
}

/** An agent waits a minute at most for a tool, and can call it again. */
const RETRY: RetryLimits = { times: 2, seconds: 10 }

/** A server that the user names. */
class RemotePlace implements McpPlace {
  readonly #io: Io
  readonly #options: RemoteOptions
  #adminPath: string | undefined

  constructor(io: Io, options: RemoteOptions) {
    this.#io = io
    this.#options = options
  }

  withClient: McpPlace['withClient'] = async ({ mode }, work) => {
    this.#adminPath ??= await this.#findAdminPath()
    return this.#with(mode, this.#adminPath, work)
  }

  lint(): Promise<LintReport> {
    return this.withClient({ mode: 'read' }, (client) => client.lint())
  }

  #with<T>(mode: Purpose['mode'], adminPath: string, work: (client: Client) => Promise<T>): Promise<T> {
    return withApi(this.#io, this.#options, ({ client }) => work(client), { mode, adminPath, retry: RETRY })
  }

  /** The description of the project is below the path of the admin page, which only the server's settings name. */
  #findAdminPath(): Promise<string> {
    return this.#with('read', DEFAULT_ADMIN_PATH, async (client) => {
      const isThere = await client.site().then(
        () => true,
        () => false,
      )
      if (isThere) return DEFAULT_ADMIN_PATH
      const { paths } = (await client.request('/openapi.json')) as OpenApiDocument
      const [path] = Object.entries(paths).find(([, { get }]) => get?.operationId === 'getSite') ?? []
      return path?.replace(/\/api\/[^/]+\/site$/, '') ?? DEFAULT_ADMIN_PATH
    })
  }
}

/**
 * A project on this machine: its server if one runs, otherwise the project in this process. Each call finds it anew, so that a server may start
 * and stop meanwhile, and changed files count. The data folder is locked during a call only; so calls run one after the other.
 */
class LocalPlace implements McpPlace {
  readonly #io: Io
  readonly #options: RemoteOptions
  readonly #inTurn = pLimit(1)

  constructor(io: Io, options: RemoteOptions) {
    this.#io = io
    this.#options = options
  }

  withClient: McpPlace['withClient'] = (purpose, work) =>
    this.#inTurn(() =>
      withApi(
        this.#io,
        this.#options,
        async (api) => {
          await buildIndexes(api, purpose)
          return work(api.client)
        },
        { mode: purpose.mode, retry: RETRY },
      ),
    )

  async lint(): Promise<LintReport> {
    const source = sourceOf(this.#io, this.#options, {})
    const seedFaults = async (project: Parameters<typeof import('../../transfer/seed.ts').seedFaults>[0]) =>
      project.seeds.length === 0 ? [] : (await import('../../transfer/seed.ts')).seedFaults(project)
    const report = await lintProject(source, { cwd: source.folder, seedFaults })
    const context = { paint: (_: string, words: string) => words, version: VERSION, failOn: 'error' as const }
    return JSON.parse(jsonReport(report, context)) as LintReport
  }
}

/** Builds the search indexes that a call needs, where the application runs in this process; a server builds its own. */
async function buildIndexes({ app }: ApiClient, { search }: Purpose): Promise<void> {
  if (app === undefined || search === undefined) return
  const { isSearchable } = await import('../../search/search-engine.ts')
  for (const model of app.project.registry.public) {
    if ((search === true || model.key === search) && isSearchable(model)) await app.searchIndexes.make(model)
  }
}
