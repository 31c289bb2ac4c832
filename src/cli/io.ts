import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { WriteStream } from 'node:tty'
import { AppError } from '../errors.ts'

/** A text stream, such as stdout. */
export interface TextOutput {
  /** True for a terminal. */
  readonly isTTY?: boolean
  /** True after the stream has failed or its reader has closed it. */
  readonly destroyed?: boolean
  /** @returns false when the buffer of the stream is full, until the event `drain`; such a stream has `once` and `off` */
  write(text: string): unknown
  once?(event: 'drain' | 'close', listener: () => void): unknown
  off?(event: 'drain' | 'close', listener: () => void): unknown
  /** Resolves when all text is written, or the reader is gone (EPIPE, EIO). @throws {AppError} TASK_FAILED for other write errors */
  written?(): Promise<void>
}

/** Writes with back-pressure. Stops at the first write error, which `written` reports. */
export async function writeAll(output: TextOutput, text: AsyncIterable<string>): Promise<void> {
  for await (const piece of text) {
    if (output.write(piece) === false && output.destroyed !== true) await drained(output)
    if (output.destroyed === true) return
  }
}

function drained(output: TextOutput): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      output.off?.('drain', done)
      output.off?.('close', done)
      resolve()
    }
    output.once?.('drain', done)
    output.once?.('close', done)
  })
}

/** Called for rejections that nothing awaits, and for exceptions that nothing catches. */
export interface FaultTaker {
  reject(error: unknown): void
  throw(error: unknown): void
}

/** The environment of a command. Data goes to stdout, messages to stderr. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: TextOutput
  readonly stderr: TextOutput
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder that relative paths start from. */
  readonly cwd: string
  /** Opens an address in the user's browser. @throws {AppError} TASK_FAILED */
  openBrowser(address: string): Promise<void>
  /**
   * Resolves when a stop is requested, with the name of the signal (SIGINT, SIGTERM or SIGHUP), or the words for the end of npm. Installs
   * the signal handlers.
   */
  stopRequested(): Promise<string>
  /**
   * Takes the faults that would end this process at once. After the first exception it ends within 20 s, even if its work goes on.
   *
   * @returns a function that ends this
   */
  takeFaults(faults: FaultTaker): () => void
  /**
   * Runs work that cleans up when a signal interrupts it.
   *
   * @param work receives an AbortSignal, aborted on SIGINT, SIGTERM, SIGHUP and the end of npm with an AppError as its reason
   */
  interruptibly<T>(work: (stopped: AbortSignal) => Promise<T>): Promise<T>
}

/** The reader closed its end (`admin users list | head -1`) or the terminal was closed; neither is an error. */
const READER_GONE: ReadonlySet<string | undefined> = new Set(['EPIPE', 'EIO'])

/** Stdout or stderr of the process. Stops writing after the first error, where process.stdout tries again at every write. */
class ProcessOutput implements TextOutput {
  readonly #stream: WriteStream
  readonly #name: string
  #failure: NodeJS.ErrnoException | undefined

  constructor(stream: WriteStream, name: string) {
    this.#stream = stream
    this.#name = name
    stream.on('error', (error) => this.#fail(error))
  }

  get isTTY(): boolean {
    return this.#stream.isTTY === true
  }

  get destroyed(): boolean {
    return this.#failure !== undefined
  }

  write(text: string): boolean {
    return this.#failure === undefined && this.#stream.write(text)
  }

  once(event: 'drain' | 'close', listener: () => void): void {
    this.#stream.once(event, listener)
  }

  off(event: 'drain' | 'close', listener: () => void): void {
    this.#stream.off(event, listener)
  }

  async written(): Promise<void> {
    if (this.#failure === undefined) {
      await new Promise<void>((resolve) => {
        this.#stream.write('', (error) => {
          if (error != null) this.#fail(error)
          resolve()
        })
      })
    }
    if (this.#failure === undefined || READER_GONE.has(this.#failure.code)) return
    throw new AppError('TASK_FAILED', `${this.#name} cannot be written: ${this.#failure.message}`)
  }

  #fail(error: Error): void {
    this.#failure ??= error
  }
}

/** The streams of this process, and the requests to stop it. */
export function processIo(): Io {
  const stops = new StopRequests(process.env)
  return {
    stdin: process.stdin,
    stdout: new ProcessOutput(process.stdout, 'stdout'),
    stderr: new ProcessOutput(process.stderr, 'stderr'),
    env: process.env,
    cwd: process.cwd(),
    openBrowser: (address) => openBrowser(address, process.platform),
    stopRequested: () =>
      new Promise((resolve) => {
        stops.listen(resolve)
      }),
    takeFaults(faults) {
      const reject = (error: unknown) => faults.reject(error)
      const end = (error: unknown) => {
        faults.throw(error)
        // Project code may have timers that keep the process alive.
        setTimeout(() => process.exit(1), EXIT_MS).unref()
      }
      process.on('unhandledRejection', reject).on('uncaughtException', end)
      return () => process.off('unhandledRejection', reject).off('uncaughtException', end)
    },
    async interruptibly(work) {
      const controller = new AbortController()
      const ignore = stops.listen((reason) => controller.abort(new AppError('TASK_FAILED', `Interrupted by ${reason}`)))
      try {
        return await work(controller.signal)
      } finally {
        ignore()
      }
    },
  }
}

/** The program of a platform that opens an address in the default browser. No shell takes part. */
export function browserCommand(address: string, platform: NodeJS.Platform): readonly [program: string, ...string[]] {
  if (platform === 'darwin') return ['open', address]
  // `start` is part of the shell.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', address]
  return ['xdg-open', address]
}

/**
 * Opens an address in the default browser. The browser outlives this process. Resolves when the program that opens it has ended.
 *
 * @throws {AppError} TASK_FAILED if it is not installed, or finds no browser
 */
export async function openBrowser(
  address: string,
  platform: NodeJS.Platform,
  command: typeof browserCommand = browserCommand,
): Promise<void> {
  const [program, ...argv] = command(address, platform)
  const fault = await new Promise<string | undefined>((resolve) => {
    const child = spawn(program, argv, { detached: true, stdio: 'ignore' })
    child.on('error', ({ message }) => resolve(message))
    child.on('exit', (code) => resolve(code === 0 ? undefined : `${program} ended with ${code ?? 'a signal'}`))
    child.unref()
  })
  if (fault !== undefined) throw new AppError('TASK_FAILED', `No browser could be opened (${fault}); open ${address} yourself`)
}

/** From an exception that nothing catches to the end of the process: more than the requests in flight get. In milliseconds. */
const EXIT_MS = 20_000

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** How often the parent process is looked at. In milliseconds. */
const PARENT_CHECK_MS = 500

/**
 * Reports requests to stop this process: a signal, or the end of its parent where npm started it.
 *
 * `npx admin serve` runs as npm → sh → node. npm passes SIGTERM to the shell, which ends without passing it on, so that the end of
 * the shell is all that this process learns. Without npm, a parent may end before its server: with `nohup`, or as a daemon.
 */
class StopRequests {
  readonly #parent: number
  readonly #isOfNpm: boolean

  /** @param env the environment, in which npm sets variables of its own */
  constructor(env: NodeJS.ProcessEnv) {
    this.#parent = process.ppid
    this.#isOfNpm = (env.npm_command ?? env.npm_lifecycle_event) !== undefined
  }

  /**
   * Calls a listener with the reason of each request. Each signal is handled once, so the same signal sent again ends the process immediately.
   *
   * @returns stops listening
   */
  listen(listener: (reason: string) => void): () => void {
    for (const signal of STOP_SIGNALS) process.once(signal, listener)
    const timer = this.#isOfNpm ? setInterval(() => this.#checkParent(listener, timer), PARENT_CHECK_MS).unref() : undefined
    return () => {
      for (const signal of STOP_SIGNALS) process.off(signal, listener)
      clearInterval(timer)
    }
  }

  #checkParent(listener: (reason: string) => void, timer: NodeJS.Timeout | undefined): void {
    if (process.ppid === this.#parent) return
    clearInterval(timer)
    listener('the end of npm')
  }
}
