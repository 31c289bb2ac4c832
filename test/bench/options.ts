import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { POSTGRES_KEYS } from './postgres/keys.ts'
import { SHAPES } from './stalls/shapes.ts'
import { ROWS } from './store/rows.ts'

/** Keys of the rows of each bench that has rows. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  store: ROWS.map(({ key }) => key),
  postgres: POSTGRES_KEYS,
  stalls: SHAPES.map(({ key }) => key),
}

/** Options of a benchmark. */
export interface BenchOptions {
  /** Numbers of records. Default: those of each benchmark. */
  readonly records: readonly number[] | undefined
  /** Length of one slice of a measurement, in seconds. */
  readonly seconds: number
  /** Keys of the rows of `store`, `tails`, `builds`, `postgres` and `stalls` to measure; all if empty. */
  readonly only: readonly string[]
  /** A folder for CPU profiles of our server. */
  readonly profile: string | undefined
  /** Folder of another build of this project, for the bench `builds`. */
  readonly beside: string | undefined
}

export interface Arguments {
  /** Names of benchmarks; all if empty. */
  readonly names: readonly string[]
  readonly format: 'table' | 'json' | 'markdown'
  /** A file from `--json` to print instead of measuring. */
  readonly from: string | undefined
  readonly options: BenchOptions
}

export const USAGE = `npm run bench [-- <bench…>] [options]

  --records 10000,100000   numbers of records
  --only <row>             a row of the bench 'store' (${KEYS.store?.join(', ')})
                           or 'postgres' (${KEYS.postgres?.join(', ')}),
                           the former of 'builds' and 'tails' too, the latter of 'peers'; or one of 'stalls', by the keys
                           in test/bench/stalls/shapes.ts; may be repeated
  --seconds <n>            length of a slice; a figure is the median of several (default: 2)
  --json, --markdown       print the figures as data, or as tables for a document
  --from <file>            show figures that --json printed, measure nothing
  --profile <folder>       write CPU profiles of our server there
  --beside <folder>        another checkout of this project, built, that the benches 'builds' and 'logins' compare with this one
`

/** Invalid arguments. The message gives the reason. */
export class UsageError extends Error {}

/**
 * Parses the arguments of `npm run bench`.
 *
 * @param benches the known names of benchmarks
 * @throws {UsageError}
 */
export function parseArguments(argv: readonly string[], benches: readonly string[]): Arguments {
  const { values, positionals } = readArguments(argv)
  const unknown = positionals.filter((name) => !benches.includes(name))
  if (unknown.length > 0) throw new UsageError(`There is no bench '${unknown.join("', '")}' (known: ${benches.join(', ')})`)
  const strayRows = values.only.filter((key) => !Object.values(KEYS).flat().includes(key))
  if (strayRows.length > 0) throw new UsageError(`There is no row '${strayRows.join("', '")}'`)
  const comparing = positionals.find((name) => name === 'builds' || name === 'logins')
  if (comparing !== undefined && values.beside === undefined)
    throw new UsageError(`The bench '${comparing}' needs --beside, the folder of the other build`)
  if (values.beside !== undefined && !existsSync(join(values.beside, 'dist')))
    throw new UsageError(`'${values.beside}' has no build; check out this project there, then run npm ci and npm run build`)
  return {
    names: positionals.length > 0 ? positionals : benchesWith(values.only),
    format: values.json ? 'json' : values.markdown ? 'markdown' : 'table',
    from: values.from,
    options: {
      records: values.records?.split(',').map((text) => positive('--records', text, Number.isSafeInteger)),
      seconds: positive('--seconds', values.seconds, Number.isFinite),
      only: values.only,
      profile: values.profile,
      beside: values.beside,
    },
  }
}

/** The benches that have some of the rows. */
const benchesWith = (rows: readonly string[]): string[] =>
  Object.keys(KEYS).filter((name) => rows.some((key) => KEYS[name]?.includes(key)))

function readArguments(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        records: { type: 'string' },
        only: { type: 'string', multiple: true, default: [] },
        seconds: { type: 'string', default: '2' },
        json: { type: 'boolean', default: false },
        markdown: { type: 'boolean', default: false },
        from: { type: 'string' },
        profile: { type: 'string' },
        beside: { type: 'string' },
      },
    })
  } catch (error) {
    throw error instanceof TypeError ? new UsageError(error.message) : error
  }
}

function positive(option: string, text: string, isFit: (value: number) => boolean): number {
  const value = Number(text)
  if (text.trim() !== '' && isFit(value) && value > 0) return value
  throw new UsageError(`${option} takes numbers above 0, not '${text}'`)
}
