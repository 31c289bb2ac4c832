import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ADMIN_BIN } from '../helpers/cli/process.ts'
import { makeProject } from '../helpers/fixture.ts'
import { MEMBER_MODEL, member } from './data/members.ts'
import { dataFolder } from './data/project.ts'
import type { BenchOptions } from './options.ts'
import { residentMemory } from './processes/resident-memory.ts'
import { type Figure, median, type Result } from './results/figures.ts'
import { atEachSize } from './results/sizes.ts'

const SIZES = [100_000, 1_000_000]
const RUNS = 3
const CHUNK_CHARACTERS = 1 << 20
/** Records a second that an import of a million records must reach. */
const REQUIRED_RATE = 30_000

/** A finished process. */
interface Ended {
  readonly seconds: number
  /** Peak resident memory in MiB; NaN on systems other than Linux. */
  readonly peak: number
}

/** Measures imports and seeds of NDJSON, from the start of the program to its end, beside a program that copies the lines. */
export function importBench(options: BenchOptions): Promise<Result[]> {
  return atEachSize('import', ['import'], options.records ?? SIZES, benchAt)
}

async function benchAt(records: number): Promise<Figure[]> {
  await using project = await makeProject({ 'models/member.yaml': MEMBER_MODEL })
  const [file, seeds, copy] = ['members.ndjson', 'seed', 'copy.ndjson'].map((name) => join(project.path, name)) as [
    string,
    string,
    string,
  ]
  await writeMembers(file, records)
  const admin = [ADMIN_BIN, 'import', 'member', file, '--project', project.path]
  const copied: Ended[] = []
  const imported: Ended[] = []
  const seeded: Ended[] = []
  for (let run = 0; run < RUNS; run++) {
    copied.push(await timed([join(import.meta.dirname, 'processes/copy-lines.mjs'), file, copy]))
    imported.push(await timed(admin))
    await rm(dataFolder(project.path), { recursive: true })
    // A command that opens the data creates the seed records.
    await mkdir(seeds)
    await writeMembers(join(seeds, 'member.ndjson'), records)
    seeded.push(await timed([ADMIN_BIN, 'mock', 'group', '--count', '1', '--project', project.path]))
    await rm(dataFolder(project.path), { recursive: true })
    await rm(seeds, { recursive: true })
  }
  const rate = (runs: readonly Ended[]) => records / median(runs.map(({ seconds }) => seconds))
  const figure = (name: string, ours: number): Figure[] => [
    {
      bench: 'import',
      name: `${name}, beside copying the lines`,
      records,
      unit: '/s',
      ours,
      baseline: rate(copied),
      ratio: ours / rate(copied),
    },
    {
      ...{ bench: 'import', name: `${name}, beside the required rate`, records, unit: '/s', ours, baseline: REQUIRED_RATE },
      ratio: ours / REQUIRED_RATE,
      ...(records >= 1_000_000 ? { bar: { is: 'at least', ratio: 1 } as const } : {}),
    },
  ]
  const peak = (name: string, runs: readonly Ended[]): Figure => {
    return { bench: 'import', name: `peak memory of ${name}`, records, unit: 'MiB', ours: median(runs.map((run) => run.peak)) }
  }
  return [
    ...figure('import of NDJSON', rate(imported)),
    ...figure('seeds of NDJSON', rate(seeded)),
    peak('the import', imported),
    peak('the start with seeds', seeded),
  ]
}

/** Writes members as clients send them, without the fields that the server sets. */
async function writeMembers(path: string, records: number): Promise<void> {
  const file: FileHandle = await open(path, 'w')
  let piece = ''
  for (let number = 1; number <= records; number++) {
    const { id: _, created_at: __, updated_at: ___, ...data } = member(number)
    piece += `${JSON.stringify(data)}\n`
    if (piece.length < CHUNK_CHARACTERS) continue
    await file.writeFile(piece)
    piece = ''
  }
  await file.writeFile(piece)
  await file.close()
}

/** Runs a program to its end. */
async function timed(args: readonly string[]): Promise<Ended> {
  const begin = performance.now()
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  let isRunning = true
  const ended = once(child, 'close').finally(() => {
    isRunning = false
  })
  let peak = Number.NaN
  while (isRunning) {
    peak = (await residentMemory(child.pid))?.peak ?? peak
    await Promise.race([ended, sleep(100)])
  }
  const [code] = await ended
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`)
  return { seconds: (performance.now() - begin) / 1000, peak }
}
