import { Command, InvalidArgumentError } from 'commander'
import type { App } from '../../app.ts'
import { AppError } from '../../errors.ts'
import { MAX_FILL_COUNT, mockedModels } from '../../service/mock/mock-requests.ts'
import { MAX_SEED } from '../../service/mock/mocks.ts'
import { systemRandom } from '../../util/ids.ts'
import { type ApiClient, withApi } from '../api/api-client.ts'
import { type RemoteOptions, withRemoteOptions } from '../api/remote.ts'
import { modelNamed } from '../project/project-options.ts'
import type { Io } from '../terminal/io.ts'

interface MockOptions extends RemoteOptions {
  readonly all?: boolean
  readonly count: number
  readonly seed?: number
  readonly locale?: string
  readonly json?: boolean
}

/** What came of it: the seed, and how many records of each model there are now. */
interface Filled {
  readonly seed: number
  readonly created: Readonly<Record<string, number>>
}

const DEFAULT_COUNT = 10
/** So many are held in memory at once. */
const MAX_COUNT = 100_000

const NOTES = `
A running server makes at most ${MAX_FILL_COUNT} records of each at once.
Accounts of mock users have a password that nobody knows; \`admin users passwd\` gives them another.
Subscribers of webhooks are told of mock records as of any others.
`

/** `admin mock`: fills the store with made-up records. A running server is asked, here or elsewhere. */
export function mockCommand(io: Io): Command {
  return withRemoteOptions(new Command('mock').description('fill the store with mock records'))
    .argument('[models...]', 'of which models, such as post')
    .option('--all', 'of every model but permission, those that others refer to first')
    .option('--count <number>', `how many records of each, at most ${MAX_COUNT}`, parseCount, DEFAULT_COUNT)
    .option('--seed <number>', 'the same seed makes the same values (default: another each time)', parseSeed)
    .option('--locale <locale>', 'language of names, places and the like, such as de or pt_BR (default: en)')
    .option('--json', 'print the seed and how many records were created as JSON')
    .addHelpText('after', NOTES)
    .addHelpText('after', '\nExample:\n  $ admin mock --all --count 100 --seed 1\n')
    .action(async (models: string[], options: MockOptions) => {
      if ((models.length === 0) === (options.all !== true)) {
        throw new AppError('USAGE', 'Name the models to mock, or all of them with --all')
      }
      const told = (model: string, count: number) =>
        io.stderr.write(`Created ${count} ${model} ${count === 1 ? 'record' : 'records'}\n`)
      const filled = await withApi(io, options, (client) =>
        client.app === undefined ? ask(client, models, options, told) : fill(client.app, models, options, told),
      )
      io.stderr.write(`The seed was ${filled.seed}\n`)
      if (options.json === true) io.stdout.write(`${JSON.stringify(filled)}\n`)
    })
}

type Told = (model: string, count: number) => void

async function fill(app: App, names: readonly string[], options: MockOptions, told: Told): Promise<Filled> {
  const { registry } = app.project
  const { count, locale, seed = systemRandom(4).readUInt32LE() } = options
  const models = options.all === true ? mockedModels(registry) : names.map((name) => modelNamed(registry, name))
  const created: Record<string, number> = {}
  await app.mockFiller.fill({ models, count, seed, locale }, ({ key }) => {
    created[key] = count
    told(key, count)
  })
  return { seed, created }
}

async function ask({ request }: ApiClient, names: readonly string[], options: MockOptions, told: Told): Promise<Filled> {
  const { all, count, locale, seed } = options
  if (count > MAX_FILL_COUNT) {
    const remedy = 'ask it several times, or stop it'
    throw new AppError('TASK_FAILED', `A running server makes at most ${MAX_FILL_COUNT} records of each at once; ${remedy}`)
  }
  const { data } = await request('POST', '/mock', { models: all === true ? undefined : names, count, seed, locale })
  const filled: Filled = data
  for (const [model, created] of Object.entries(filled.created)) told(model, created)
  return filled
}

function parseCount(text: string): number {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (count < 1 || count > MAX_COUNT) throw new InvalidArgumentError(`The count is a number from 1 to ${MAX_COUNT}.`)
  return count
}

function parseSeed(text: string): number {
  const seed = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (!(seed <= MAX_SEED)) throw new InvalidArgumentError(`The seed is a number from 0 to ${MAX_SEED}.`)
  return seed
}
