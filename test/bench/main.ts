// Runs the benchmarks: npm run bench [-- <name…> options]. Each baseline is measured in the same run as its figure.
import { readFile } from 'node:fs/promises'
import { batchBench } from './batch.ts'
import { buildsBench } from './builds.ts'
import { codeBench } from './code.ts'
import { compactionBench } from './compaction.ts'
import { eventsBench } from './events.ts'
import { exportBench } from './export.ts'
import { filesBench } from './files.ts'
import { historyBench } from './history.ts'
import { imagesBench } from './images.ts'
import { importBench } from './import.ts'
import { keysBench } from './keys.ts'
import { lintBench } from './lint.ts'
import { loginsBench } from './logins.ts'
import { openBench } from './open.ts'
import { type Arguments, type BenchOptions, parseArguments, USAGE, UsageError } from './options.ts'
import { peersBench } from './peers/bench.ts'
import { postgresBench } from './postgres/bench.ts'
import { queriesBench } from './queries.ts'
import { isFailure, type Result } from './results/figures.ts'
import { asMarkdown, asTable, makeReport, type Report } from './results/report.ts'
import { searchBench } from './search.ts'
import { stallsBench } from './stalls.ts'
import { startBench } from './start.ts'
import { storeBench } from './store/bench.ts'
import { tailsBench } from './tails.ts'
import { uiBench } from './ui.ts'
import { webhooksBench } from './webhooks.ts'

const BENCHES: Readonly<Record<string, (options: BenchOptions) => Promise<Result[]>>> = {
  start: startBench,
  store: storeBench,
  tails: tailsBench,
  compaction: compactionBench,
  open: openBench,
  search: searchBench,
  queries: queriesBench,
  export: exportBench,
  files: filesBench,
  images: imagesBench,
  import: importBench,
  lint: lintBench,
  stalls: stallsBench,
  webhooks: webhooksBench,
  history: historyBench,
  keys: keysBench,
  logins: loginsBench,
  batch: batchBench,
  code: codeBench,
  events: eventsBench,
  ui: uiBench,
  postgres: postgresBench,
  peers: peersBench,
  builds: buildsBench,
}

const FORMATS: Readonly<Record<Arguments['format'], (report: Report) => string>> = {
  table: asTable,
  markdown: asMarkdown,
  json: (report) => `${JSON.stringify(report, null, 2)}\n`,
}

async function main(argv: readonly string[]): Promise<number> {
  const { names, format, from, options } = parseArguments(argv, Object.keys(BENCHES))
  const report = from === undefined ? await measure(names, options) : (JSON.parse(await readFile(from, 'utf8')) as Report)
  process.stdout.write(FORMATS[format](report))
  return report.results.some(isFailure) ? 1 : 0
}

async function measure(names: readonly string[], options: BenchOptions): Promise<Report> {
  const results: Result[] = []
  for (const [name, bench] of Object.entries(BENCHES)) {
    if (names.length === 0 || names.includes(name)) results.push(...(await bench(options)))
  }
  return makeReport(results)
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`${error.message}\n\n${USAGE}`)
  process.exitCode = 2
}
