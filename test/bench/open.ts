import { constants } from 'node:buffer'
import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startServer } from '../helpers/cli/process.ts'
import { compiledScript } from '../helpers/compile.ts'
import type { TemporaryFolder } from '../helpers/fixture.ts'
import { accessTokens, dataFolder, MEMBERS_PATH, memberProject } from './data/project.ts'
import { ask } from './load/ask.ts'
import type { BenchOptions } from './options.ts'
import { residentMemory } from './processes/resident-memory.ts'
import { type Bar, type Figure, median, type Result } from './results/figures.ts'
import { atEachSize } from './results/sizes.ts'

const PROCESSES = join(import.meta.dirname, 'processes')
const SIZES = [100_000, 1_000_000]
const TIME_BAR: Bar = { is: 'at most', ratio: 2 }
const MEMORY_BAR: Bar = { is: 'at most', ratio: 3 }
const MEBIBYTE = 2 ** 20

/** The report of a process that loaded the records. */
interface Loaded {
  readonly milliseconds: number
  readonly bytes: number
  readonly total: number
}

/** Compares time and memory of opening the store with those of parsing the same file. */
export function openBench(options: BenchOptions): Promise<Result[]> {
  return atEachSize('open', ['opening the store'], options.records ?? SIZES, benchAt)
}

async function benchAt(records: number): Promise<Figure[]> {
  await using project = await memberProject(records, 1)
  return [...(await loadFigures(project, records)), ...(await serveFigures(project, records))]
}

/** Number of measurements. Large stores take long enough for one. */
const runsFor = (records: number): number => (records < 500_000 ? 5 : 1)

async function loadFigures(project: TemporaryFolder, records: number): Promise<Figure[]> {
  const file = join(dataFolder(project.path), 'db.json')
  const { size } = await stat(file)
  const opened: Loaded[] = []
  const parsed: Loaded[] = []
  for (let run = 0; run < runsFor(records); run++) {
    opened.push(await load(await compiledScript(join(PROCESSES, 'open-store.ts')), project.path, records))
    // A larger file does not fit into a string.
    if (size <= constants.MAX_STRING_LENGTH) parsed.push(await load(join(PROCESSES, 'parse-file.mjs'), file, records))
  }
  const figure = (name: string, unit: string, bar: Bar, value: (loaded: Loaded) => number): Figure => {
    const ours = median(opened.map(value))
    const common = { bench: 'open', name, records, unit, ours }
    if (parsed.length === 0) return common
    const baseline = median(parsed.map(value))
    return { ...common, baseline, ratio: ours / baseline, ...(records === 100_000 ? { bar } : {}) }
  }
  return [
    figure('opening the store, beside JSON.parse of its file', 'ms', TIME_BAR, ({ milliseconds }) => milliseconds),
    figure('memory of the open store, beside the parsed array', 'MiB', MEMORY_BAR, ({ bytes }) => bytes / MEBIBYTE),
  ]
}

/** Runs a loading program in a new process. */
async function load(program: string, argument: string, records: number): Promise<Loaded> {
  const args = ['--expose-gc', program, argument]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const loaded = JSON.parse(stdout) as Loaded
  if (loaded.total !== records) throw new Error(`${program} found ${loaded.total} of ${records} records`)
  return loaded
}

async function serveFigures(project: TemporaryFolder, records: number): Promise<Figure[]> {
  const tokens = accessTokens(1)
  const times: number[] = []
  const resident: number[] = []
  const peaks: number[] = []
  for (let run = 0; run < runsFor(records); run++) {
    const begin = performance.now()
    await using server = await startServer(['--project', project.path])
    await ask({ address: server.address, tokens }, { method: 'GET', path: `${MEMBERS_PATH}/${records}` })
    times.push(performance.now() - begin)
    const memory = await residentMemory(server.child.pid)
    if (memory === undefined) continue
    resident.push(memory.now)
    peaks.push(memory.peak)
  }
  const figure = (name: string, unit: string, values: readonly number[]): Figure[] =>
    values.length === 0 ? [] : [{ bench: 'open', name, records, unit, ours: median(values) }]
  return [
    ...figure('from starting the program to its first answer', 'ms', times),
    ...figure('resident memory at the first answer', 'MiB', resident),
    ...figure('resident memory at its highest until then', 'MiB', peaks),
  ]
}
