import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { addressIn } from '../helpers/cli/cli.ts'
import { ADMIN_BIN } from '../helpers/cli/process.ts'
import { temporaryFolder } from '../helpers/fixture.ts'
import { type Figure, median } from './results/figures.ts'

const RUNS = 9
const BLOG = join(import.meta.dirname, '../../fixtures/blog')

/** Compares the time from starting the compiled program to its first response with that of a bare server on the same framework. */
export async function startBench(): Promise<Figure[]> {
  const folder = await temporaryFolder()
  const data = join(folder.path, 'data')
  const serve = [ADMIN_BIN, 'serve', '--project', BLOG, '--data', data, '--port', '0']
  const first: number[] = []
  const later: number[] = []
  const bare: number[] = []
  for (let run = 0; run < RUNS; run++) {
    await rm(data, { recursive: true, force: true })
    first.push(await timeToAnswer(serve, '/admin/api/v1/views/'))
    later.push(await timeToAnswer(serve, '/admin/api/v1/views/'))
    bare.push(await timeToAnswer([join(import.meta.dirname, 'processes/bare-server.mjs')], '/'))
  }
  await folder.remove()
  const baseline = median(bare)
  const figure = (name: string, ours: number): Figure => ({
    bench: 'start',
    name,
    unit: 'ms',
    ours,
    baseline,
    ratio: ours / baseline,
  })
  return [
    figure('first start of fixtures/blog, seeding 198 records', median(first)),
    figure('start of fixtures/blog', median(later)),
  ]
}

async function timeToAnswer(args: readonly string[], path: string): Promise<number> {
  const begin = performance.now()
  const child = spawn(process.execPath, [...args], { stdio: ['ignore', 'pipe', 'ignore'] })
  const exited = once(child, 'exit')
  const [line] = await once(child.stdout, 'data')
  const response = await fetch(`${addressIn(String(line))}${path}`)
  await response.text()
  const elapsed = performance.now() - begin
  child.kill('SIGINT')
  await exited
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
  return elapsed
}
