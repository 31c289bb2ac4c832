import { execFile } from 'node:child_process'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ADMIN_BIN } from '../../helpers/cli/process.ts'
import { memberValues } from '../data/members.ts'
import type { Figure } from '../results/figures.ts'
import { say } from '../results/report.ts'
import type { BenchDatabase } from './database.ts'

/** Minimum share of the rate of COPY. */
const BAR = { is: 'at least', ratio: 0.25 } as const
const CHUNK_CHARACTERS = 1 << 20

/** Compares an import of NDJSON, from the start of the program to its end, with COPY into the same table with its indexes. */
export async function importFigure(database: BenchDatabase, records: number): Promise<Figure> {
  const file = join(database.project.path, 'members.ndjson')
  await writeMembers(file, records)
  const empty = () => database.query('truncate admin.member restart identity cascade')
  await empty()
  const copied = await secondsOf(() => database.copy())
  await empty()
  await database.query('checkpoint')
  const admin = [ADMIN_BIN, 'import', 'member', file, '--project', database.project.path]
  const imported = await secondsOf(() => promisify(execFile)(process.execPath, admin))
  const [row] = await database.query('select count(*)::integer as count from admin.member')
  if (row?.count !== records) throw new Error(`The import stored ${row?.count} of ${records} records`)
  const [ours, baseline] = [records / imported, records / copied]
  say(`  import: ${ours.toFixed(0)}/s, COPY ${baseline.toFixed(0)}/s, ratio ${(ours / baseline).toFixed(2)}`)
  return { bench: 'postgres', name: 'import, beside COPY', records, unit: '/s', ours, baseline, ratio: ours / baseline, bar: BAR }
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  await work()
  return (performance.now() - begin) / 1000
}

async function writeMembers(path: string, records: number): Promise<void> {
  const file = await open(path, 'w')
  let piece = ''
  for (let number = 1; number <= records; number++) {
    piece += `${JSON.stringify(memberValues(number))}\n`
    if (piece.length < CHUNK_CHARACTERS && number < records) continue
    await file.writeFile(piece)
    piece = ''
  }
  await file.close()
}
