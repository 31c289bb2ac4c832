import { Readable } from 'node:stream'
import { main } from '../../src/cli/main.ts'
import type { Io } from '../../src/cli/terminal/io.ts'

export interface CliResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface CliOptions {
  readonly cwd: string
  readonly stdin?: string
  readonly env?: Io['env']
  /** Both outputs are a terminal. */
  readonly terminal?: boolean
  /** For commands that clean up when they are interrupted: aborted then. */
  readonly interrupted?: AbortSignal
  /** For commands that run until they are stopped: is given what they said on stdout, and when it is done they are stopped. */
  readonly whileRunning?: (stdout: string, stderr: () => string) => Promise<void>
}

/** Runs the command line within this process. */
export async function runCli(argv: readonly string[], options: CliOptions): Promise<CliResult> {
  const { cwd, stdin = '', env = {}, terminal = false, interrupted = new AbortController().signal, whileRunning } = options
  const written = { stdout: '', stderr: '' }
  const output = (name: 'stdout' | 'stderr') => ({
    isTTY: terminal,
    write: (text: string) => {
      written[name] += text
    },
  })
  let failure: unknown
  const io: Io = {
    stdin: Readable.from([stdin]),
    stdout: output('stdout'),
    stderr: output('stderr'),
    env,
    cwd,
    async stopRequested() {
      // The address is written in the same turn that asks to be stopped.
      await new Promise((resolve) => setImmediate(resolve))
      await whileRunning?.(written.stdout, () => written.stderr).catch((error: unknown) => {
        failure = error
      })
      return 'SIGINT'
    },
    interruptibly: (work) => work(interrupted),
  }
  const code = await main(argv, io)
  if (failure !== undefined) throw failure
  return { code, ...written }
}

/** Reads the address off the line that `admin serve` prints. */
export function addressIn(stdout: string): string {
  const address = /^Listening on (http:\/\/\S+)$/m.exec(stdout)?.[1]
  if (address === undefined) throw new Error(`No address in: ${stdout}`)
  return address
}
