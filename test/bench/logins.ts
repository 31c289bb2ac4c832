import { join } from 'node:path'
import { ADMIN_BIN, startServer } from '../helpers/cli/process.ts'
import type { BenchOptions } from './options.ts'
import { median, type Result } from './results/figures.ts'
import { say } from './results/report.ts'

const PROJECT = join(import.meta.dirname, '../../fixtures/clinic')
const CREDENTIALS = JSON.stringify({ username: 'g.adeyemi', password: 'front-desk-morning-26' })
const ROUNDS = 6
const TURNS = 12
const LOGINS = 10

/**
 * Compares the logins per second of a user without a second factor, one after another, with those of another build, such as that before a change.
 * Does nothing unless the option `--beside` names the other build.
 */
export async function loginsBench({ beside }: BenchOptions): Promise<Result[]> {
  if (beside === undefined) return []
  say(`Beside ${beside}`)
  const pairs: { readonly ours: number; readonly bare: number }[] = []
  // Two processes of one build differ by some percent, so each round has new ones.
  for (let round = 0; round < ROUNDS; round++) {
    const start = (bin: string) =>
      startServer(['--project', PROJECT, '--ephemeral', '--no-rate-limit'], { bin, execArgv: [], env: {} })
    const servers = await Promise.all([start(ADMIN_BIN), start(join(beside, 'bin/admin.js'))])
    const [ours, theirs] = servers
    try {
      for (const { address } of servers) await loginsPerSecond(address)
      for (let turn = 0; turn < TURNS; turn++) {
        // Neither is always the first.
        if (turn % 2 === 0) pairs.push({ ours: await loginsPerSecond(ours.address), bare: await loginsPerSecond(theirs.address) })
        else {
          const bare = await loginsPerSecond(theirs.address)
          pairs.push({ ours: await loginsPerSecond(ours.address), bare })
        }
      }
    } finally {
      await Promise.all(servers.map((server) => server.stop()))
    }
  }
  return [
    {
      ...{ bench: 'logins', name: 'logins without a second factor, beside the other build', records: 0, unit: '/s' },
      ...{ ours: median(pairs.map(({ ours }) => ours)), baseline: median(pairs.map(({ bare }) => bare)) },
      ...{ ratio: median(pairs.map(({ ours, bare }) => ours / bare)), bar: { is: 'at least', ratio: 0.97 } },
    },
  ]
}

async function loginsPerSecond(address: string): Promise<number> {
  const begin = performance.now()
  for (let count = 0; count < LOGINS; count++) {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${address}/api/v1/auth/token`, { method: 'POST', headers, body: CREDENTIALS })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`A login was answered with ${response.status}: ${text.slice(0, 500)}`)
  }
  return (LOGINS * 1000) / (performance.now() - begin)
}
