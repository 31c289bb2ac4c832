import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../helpers/postgres/cluster.ts'
import { CONNECTIONS } from '../load/load.ts'
import { onServerCore } from '../processes/cores.ts'
import { say } from '../results/report.ts'
import type { Peer, RunningPeer } from './peer.ts'

/** Milliseconds for the packages of a peer, which come from the registry of npm. */
const INSTALLATION = 600_000
/** Milliseconds for the start of a peer. */
const START = 120_000

/**
 * Installs the packages of a peer in a temporary folder.
 *
 * @returns the folder
 * @throws {Error} if npm fails
 */
export async function installPeer({ name, folder }: Peer): Promise<string> {
  say(`  ${name}: npm install`)
  const target = await mkdtemp(join(tmpdir(), `bench-${folder}-`))
  await cp(join(import.meta.dirname, folder), target, { recursive: true })
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund'], { cwd: target, timeout: INSTALLATION })
  return target
}

/** Starts an installed peer on the core of the servers. */
export async function startPeer(peer: Peer, folder: string, url: string): Promise<RunningPeer> {
  const { args, env } = peer.start({ url, users: CONNECTIONS, port: await freePort() })
  const child = onServerCore(() =>
    fork(join(folder, 'server.mjs'), args, {
      cwd: folder,
      execArgv: [],
      env: { ...process.env, NODE_ENV: 'production', ...env },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    }),
  )
  const exited = once(child, 'exit')
  const ended = exited.then(([code]) => Promise.reject(new Error(`${peer.name} ended with ${code}`)))
  ended.catch(() => {})
  const [message] = await Promise.race([once(child, 'message', { signal: AbortSignal.timeout(START) }), ended])
  const { address, tokens } = message as { address: string; tokens: readonly string[] }
  return {
    address,
    tokens: Array.from({ length: CONNECTIONS }, (_, index) => tokens[index % tokens.length] ?? ''),
    async stop() {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}

/** Removes the folder of an installed peer. */
export const removePeer = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true })
