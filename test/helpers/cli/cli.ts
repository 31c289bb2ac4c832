import { Readable } from 'node:stream'
import type { Io } from '../../../src/cli/io.ts'
import { main } from '../../../src/cli/main.ts'

/** The outcome of a command. */
export interface CliResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Options of `runCli`. */
export interface CliOptions {
  readonly cwd: string
  readonly stdin?: string
  readonly env?: Io['env']
  /** Makes stdout and stderr terminals. */
  readonly terminal?: boolean
  /** Simulates a signal that interrupts the command, for commands that clean up. */
  readonly interrupted?: AbortSignal
  /** Called with the address that the command opens in a browser. */
  readonly openBrowser?: Io['openBrowser']
  /** Runs while a command such as `serve` waits for a stop; receives its output so far. Its end stops the command. */
  readonly whileRunning?: (stdout: string, stderr: () => string) => Promise<void>
}

/** Runs the command line in this process. */
export async function runCli(argv: readonly string[], options: CliOptions): Promise<CliResult> {
  const { cwd, stdin = '', env = {}, terminal = false, interrupted = new AbortController().signal, whileRunning } = options
  const { openBrowser = async () => {} } = options
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
      // `serve` writes its address in the same turn in which it calls this.
      await new Promise((resolve) => setImmediate(resolve))
      await whileRunning?.(written.stdout, () => written.stderr).catch((error: unknown) => {
        failure = error
      })
      return 'SIGINT'
    },
    takeFaults: () => () => {},
    openBrowser,
    interruptibly: (work) => work(interrupted),
  }
  const code = await main(argv, io)
  if (failure !== undefined) throw failure
  return { code, ...written }
}

/** Parses the address in the output of `admin serve`. */
export function addressIn(stdout: string): string {
  const address = /^Listening on (http:\/\/\S+)$/m.exec(stdout)?.[1]
  if (address === undefined) throw new Error(`No address in: ${stdout}`)
  return address
}
