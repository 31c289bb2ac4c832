import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { addressIn } from './cli.ts'

/** The path of the real program. */
export const ADMIN_BIN = join(import.meta.dirname, '../../../bin/admin.js')

/** A server in a process of its own. */
export interface RunningServer extends AsyncDisposable {
  readonly address: string
  readonly child: ChildProcess
  /** Resolves when the server has written this text to stderr. */
  said(text: string): Promise<void>
  /** Sends a signal and waits for the end of the process. */
  stop(signal?: NodeJS.Signals): Promise<{ code: number | null; stdout: string; stderr: string }>
}

/** Starts the real program in a process of its own and waits until it listens. */
export async function startServer(
  args: readonly string[],
  {
    bin = ADMIN_BIN,
    cwd = process.cwd(),
    execArgv = [],
    env = {},
  }: { bin?: string; cwd?: string; execArgv?: readonly string[]; env?: Readonly<Record<string, string>> } = {},
): Promise<RunningServer> {
  const argv = [...execArgv, bin, 'serve', '--port', '0', ...args]
  const child = spawn(process.execPath, argv, { cwd, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  const written = { stdout: '', stderr: '' }
  child.stderr.on('data', (chunk) => {
    written.stderr += chunk
  })
  // 'exit' may be emitted before the last output has arrived; 'close' is not.
  const exited = once(child, 'close')
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      written.stdout += chunk
      if (written.stdout.includes('\n')) resolve()
    })
    exited.then(([code]) => reject(new Error(`admin serve ended with ${code}: ${written.stderr}`)))
  })
  const stop: RunningServer['stop'] = async (signal = 'SIGINT') => {
    child.kill(signal)
    const [code] = await exited
    return { code, ...written }
  }
  return {
    address: addressIn(written.stdout),
    child,
    async said(text) {
      while (!written.stderr.includes(text)) await once(child.stderr, 'data')
    },
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  }
}
