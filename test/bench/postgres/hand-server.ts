import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { addressIn } from '../../helpers/cli/cli.ts'
import { SECRET } from '../data/project.ts'

/** The server written by hand, in a process of its own. */
export interface HandServer {
  readonly address: string
  readonly pid: number | undefined
  stop(): Promise<void>
}

/** Starts the server written by hand on a database. */
export async function startHandServer(url: string, execArgv: readonly string[]): Promise<HandServer> {
  const child = fork(join(import.meta.dirname, 'hand-server.mjs'), [SECRET, url], {
    execArgv: [...execArgv],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit')
  const ended = exited.then(([code]) => Promise.reject(new Error(`The server written by hand ended with ${code}`)))
  ended.catch(() => {})
  const { stdout } = child
  if (stdout === null) throw new Error('The server written by hand has no output')
  const [line] = await Promise.race([once(stdout, 'data'), ended])
  return {
    address: addressIn(String(line)),
    pid: child.pid,
    async stop() {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}
