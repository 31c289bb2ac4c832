import { cpus, totalmem, type } from 'node:os'
import { type Bar, type Failure, type Figure, isFailure, meets, type Result } from './figures.ts'

/** The results of a run and its environment, as `--json` prints them. */
export interface Report {
  readonly node: string
  readonly machine: string
  /** Time of the run, ISO 8601. */
  readonly date: string
  readonly results: readonly Result[]
}

export function makeReport(results: readonly Result[]): Report {
  const [cpu] = cpus()
  const machine = `${cpus().length} × ${cpu?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()}`
  return { node: process.version, machine, date: new Date().toISOString(), results }
}

/** Prints progress to stderr. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** A table for terminals. */
export function asTable({ results, ...where }: Report): string {
  const head = ['bench', 'work', 'records', 'figure', 'baseline', 'ratio', 'bar', 'met', 'p50/p99 ms', 'baseline', 'generator']
  const rows = [head, ...results.map((result) => (isFailure(result) ? failureRow(result) : figureRow(result)))]
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const failures = new Set(results.filter(isFailure).map(({ failure }) => `Not measured: ${failure}`))
  return [`${whereOf(where)}\n`, ...lines, ...failures].map((line) => `${line}\n`).join('')
}

/** Two Markdown tables: the ratios of the benchmark `store` by number of records, and all other figures. */
export function asMarkdown({ results, ...where }: Report): string {
  const store = results.filter(({ bench }) => bench === 'store')
  const sizes = [...new Set(store.map(({ records = 0 }) => records))].sort((a, b) => a - b)
  const works = [...new Set(store.map(({ name }) => name))]
  const cellOf = (name: string, size: number) => {
    const result = store.find((each) => each.name === name && each.records === size)
    return result === undefined ? '' : storeCell(result)
  }
  const others = results.filter(({ bench }) => bench !== 'store')
  const tables = [
    store.length === 0
      ? []
      : markdownTable(
          ['Work', ...sizes.map((size) => `${count(size)} records`)],
          works.map((name) => [name, ...sizes.map((size) => cellOf(name, size))]),
        ),
    others.length === 0 ? [] : markdownTable(['What', 'Records', 'Figure', 'Beside', 'Ratio'], others.map(otherRow)),
  ]
  return `${[whereOf(where), ...tables.filter((table) => table.length > 0).map((table) => table.join('\n'))].join('\n\n')}\n`
}

const whereOf = ({ node, machine, date }: Omit<Report, 'results'>): string =>
  `Measured on ${date.slice(0, 10)} with Node ${node} on ${machine}.`

function figureRow(figure: Figure): string[] {
  const { bench, name, records, unit, ours, baseline, ratio, bar, details = {} } = figure
  const { p50, p99, baseline_p50, baseline_p99, generator_load } = details
  return [
    bench,
    name,
    records === undefined ? '' : count(records),
    amount(ours, unit),
    baseline === undefined ? '' : amount(baseline, unit),
    ratio === undefined ? '' : ratio.toFixed(2),
    barText(bar),
    bar === undefined ? '' : meets(figure) ? 'yes' : 'NO',
    p50 === undefined || p99 === undefined ? '' : `${p50.toFixed(1)}/${p99.toFixed(1)}`,
    baseline_p50 === undefined || baseline_p99 === undefined ? '' : `${baseline_p50.toFixed(1)}/${baseline_p99.toFixed(1)}`,
    generator_load === undefined ? '' : `${(100 * generator_load).toFixed(0)} %`,
  ]
}

const failureRow = ({ bench, name, records }: Failure): string[] => [
  bench,
  name,
  records === undefined ? '' : count(records),
  'not measured',
]

/** Ratio, bar and rate, such as `1.03 (≥ 1.00), 5,120/s`. */
function storeCell(result: Result): string {
  if (isFailure(result)) return 'not measured'
  const { ratio = Number.NaN, bar, ours, unit } = result
  const shown = meets(result) ? ratio.toFixed(2) : `**${ratio.toFixed(2)}**`
  return `${shown}${bar === undefined ? '' : ` (${barText(bar)})`}, ${amount(ours, unit)}`
}

function otherRow(result: Result): string[] {
  const records = result.records === undefined ? '' : count(result.records)
  if (isFailure(result)) return [result.name, records, 'not measured', '', '']
  const { name, unit, ours, baseline, ratio, bar } = result
  const shown = ratio === undefined ? '' : meets(result) ? ratio.toFixed(2) : `**${ratio.toFixed(2)}**`
  const limit = bar === undefined ? '' : ` (${barText(bar)})`
  return [name, records, amount(ours, unit), baseline === undefined ? '' : amount(baseline, unit), `${shown}${limit}`]
}

const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]): string[] =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`)

const barText = (bar: Bar | undefined): string =>
  bar === undefined ? '' : `${bar.is === 'at least' ? '≥' : '≤'} ${bar.ratio.toFixed(2)}`

const amount = (value: number, unit: string): string =>
  `${value < 100 ? value.toFixed(1) : count(Math.round(value))}${unit.startsWith('/') ? '' : ' '}${unit}`

const count = (value: number): string => value.toLocaleString('en-US')
