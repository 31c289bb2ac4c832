import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { addressIn } from '../../helpers/cli/cli.ts'
import { SECRET } from '../data/project.ts'

/** Response bodies of the bare server, the same for every request. */
export interface Constants {
  readonly read: string
  /** Of creates and updates. */
  readonly created: string
}

export interface BareServer {
  readonly address: string
  answerWith(constants: Constants): Promise<void>
  stop(): Promise<void>
}

/** Starts the bare server in a separate process. */
export async function startBareServer(): Promise<BareServer> {
  const child = fork(join(import.meta.dirname, 'bare-api.mjs'), [SECRET], {
    execArgv: [],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit')
  const ended = exited.then(([code]) => Promise.reject(new Error(`The bare server ended with ${code}`)))
  ended.catch(() => {})
  const { stdout } = child
  if (stdout === null) throw new Error('The bare server has no output')
  const [line] = await Promise.race([once(stdout, 'data'), ended])
  return {
    address: addressIn(String(line)),
    async answerWith(constants) {
      const ready = once(child, 'message')
      child.send(constants)
      await Promise.race([ready, ended])
    },
    async stop() {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}
