import { Command, InvalidArgumentError } from 'commander'
import type { App } from '../../app.ts'
import { AppError } from '../../errors.ts'
import type { Model } from '../../model/model.ts'
import { MAX_SEED } from '../../service/mocks.ts'
import { systemRandom } from '../../util/ids.ts'
import type { Io } from '../io.ts'
import { modelNamed, type ProjectOptions, withApp, withProjectOptions } from '../project-options.ts'

interface MockOptions extends ProjectOptions {
  readonly all?: boolean
  readonly count: number
  readonly seed?: number
  readonly locale?: string
  readonly json?: boolean
}

const DEFAULT_COUNT = 10
/** So many are held in memory at once. */
const MAX_COUNT = 100_000

/** `admin mock`: fills the store with made-up records. */
export function mockCommand(io: Io): Command {
  return withProjectOptions(new Command('mock').description('fill the store with mock records while no server runs'))
    .argument('[models...]', 'of which models, such as post')
    .option('--all', 'of every model but permission, those that others refer to first')
    .option('--count <number>', `how many records of each, at most ${MAX_COUNT}`, parseCount, DEFAULT_COUNT)
    .option('--seed <number>', 'the same seed makes the same values (default: another each time)', parseSeed)
    .option('--locale <locale>', 'language of names, places and the like, such as de or pt_BR (default: en)')
    .option('--json', 'print the seed and how many records were created as JSON')
    .addHelpText(
      'after',
      '\nAccounts of mock users have a password that nobody knows; `admin users passwd` gives them another.\nSubscribers of webhooks are told of mock records as of any others.\n',
    )
    .addHelpText('after', '\nExample:\n  $ admin mock --all --count 100 --seed 1\n')
    .action((models: string[], options: MockOptions) => {
      if ((models.length === 0) === (options.all !== true)) {
        throw new AppError('USAGE', 'Name the models to mock, or all of them with --all')
      }
      return withApp(io, options, 'write', (app) => mock(app, models, options, io))
    })
}

async function mock(app: App, names: readonly string[], options: MockOptions, io: Io): Promise<void> {
  const { registry } = app.project
  const { count, locale, seed = systemRandom(4).readUInt32LE() } = options
  // Every model's permissions are there by themselves; more of them would mean nothing.
  const all = registry.public.filter(({ key }) => key !== 'permission')
  const models = options.all === true ? all : names.map((name) => modelNamed(registry, name))
  const created: Record<string, number> = {}
  const told = ({ key }: Model) => {
    created[key] = count
    io.stderr.write(`Created ${count} ${key} ${count === 1 ? 'record' : 'records'}\n`)
  }
  await app.mockFiller.fill({ models, count, seed, locale }, told)
  io.stderr.write(`The seed was ${seed}\n`)
  if (options.json === true) io.stdout.write(`${JSON.stringify({ seed, created })}\n`)
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
