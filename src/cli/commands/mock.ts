import { Command } from 'commander'
import type { App } from '../../app.ts'
import type { Client } from '../../client/client.ts'
import { AppError } from '../../errors.ts'
import { MAX_FILL_COUNT, mockedModels } from '../../mock/mock-requests.ts'
import { MAX_SEED } from '../../mock/mocks.ts'
import { systemRandom } from '../../util/ids.ts'
import { withApi } from '../api-client.ts'
import type { Io } from '../io.ts'
import { wholeNumber } from '../number-options.ts'
import { modelNamed } from '../project-options.ts'
import { type RemoteOptions, withCodeOption, withRemoteOptions } from '../remote.ts'
import { counted } from '../style.ts'

interface MockOptions extends RemoteOptions {
  readonly all?: boolean
  readonly count: number
  readonly seed?: number
  readonly locale?: string
  readonly json?: boolean
  /** False with `--no-code`. */
  readonly code: boolean
}

/** The result: the seed, and the number of records created by model. */
interface MockResult {
  readonly seed: number
  readonly created: Readonly<Record<string, number>>
}

const DEFAULT_COUNT = 10
/** Limits memory: all records of a model are generated before they are stored. */
const MAX_COUNT = 100_000

const NOTES = `
A running server creates at most ${MAX_FILL_COUNT} records per model and call.
Records of a model obey the limits and rules of its first form that creates records.
Mock users have a random password that is not shown; \`admin users passwd\` sets another.
Mock records trigger webhooks like any other records.`

/** `admin mock`: creates mock records. Works on a project folder, beside a running server, or on a remote one. */
export function mockCommand(io: Io): Command {
  return withCodeOption(withRemoteOptions(new Command('mock').description('create mock records')))
    .argument('[models...]', 'models to create records of, such as post')
    .option('--all', 'every model except user, group, permission and savedview; referenced models first')
    .option(
      '--count <number>',
      `number of records per model, at most ${MAX_COUNT}`,
      wholeNumber('The count', 1, MAX_COUNT),
      DEFAULT_COUNT,
    )
    .option(
      '--seed <number>',
      'seed of the random values; the same seed gives the same values (default: random)',
      wholeNumber('The seed', 0, MAX_SEED),
    )
    .option('--locale <locale>', 'language of names, places and similar values, such as de or pt_BR (default: en)')
    .option('--json', 'print the seed and the number of created records as JSON')
    .addHelpText('after', NOTES)
    .addHelpText('after', '\nExample:\n  $ admin mock --all --count 100 --seed 1\n')
    .action(async (models: string[], options: MockOptions) => {
      if ((models.length === 0) === (options.all !== true)) {
        throw new AppError('USAGE', 'Name the models, or use --all for every model')
      }
      const report: Report = (model, count) => io.stderr.write(`Created ${counted(count, `${model} record`)}\n`)
      const result = await withApi(io, options, ({ client, app }) =>
        app === undefined ? mockOnServer(client, models, options, report) : mockInProcess(app, models, options, report),
      )
      io.stderr.write(`The seed was ${result.seed}\n`)
      if (options.json === true) io.stdout.write(`${JSON.stringify(result)}\n`)
    })
}

/** Reports the number of records created of a model. */
type Report = (model: string, count: number) => void

async function mockInProcess(app: App, names: readonly string[], options: MockOptions, report: Report): Promise<MockResult> {
  const { registry } = app.project
  const { count, locale, seed = systemRandom(4).readUInt32LE(), code } = options
  const models = options.all === true ? mockedModels(registry) : names.map((name) => modelNamed(registry, name))
  const created: Record<string, number> = {}
  await app.mockFiller.fill({ models, count, seed, locale, withoutCode: !code }, ({ key }) => {
    created[key] = count
    report(key, count)
  })
  return { seed, created }
}

async function mockOnServer(client: Client, names: readonly string[], options: MockOptions, report: Report): Promise<MockResult> {
  const { all, count, locale, seed } = options
  if (count > MAX_FILL_COUNT) {
    const remedy = 'run the command several times, or stop the server'
    throw new AppError('TASK_FAILED', `A running server creates at most ${MAX_FILL_COUNT} records per model and call; ${remedy}`)
  }
  const body = { models: all === true ? undefined : names, count, seed, locale }
  const { data: result } = (await client.request('/mock', { method: 'POST', body })) as { data: MockResult }
  for (const [model, created] of Object.entries(result.created)) report(model, created)
  return result
}
