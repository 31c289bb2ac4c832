import type { Readable } from 'node:stream'
import type { WriteStream } from 'node:tty'
import { AppError } from '../../errors.ts'

/** A stream that text is written to; `isTTY` when a person looks at it. */
export interface TextOutput {
  readonly isTTY?: boolean
  /** Of a stream that nobody reads any more. */
  readonly destroyed?: boolean
  /** @returns false when the stream holds as much as it wants to, until it says `drain` */
  write(text: string): unknown
  once?(event: 'drain' | 'close', listener: () => void): unknown
  off?(event: 'drain' | 'close', listener: () => void): unknown
  /** Resolves once all is written, or nobody reads it. @throws {AppError} TASK_FAILED when it cannot be written */
  written?(): Promise<void>
}

/** Writes as fast as is read, until nobody reads any more. */
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

/** What a command knows of the world: data goes to stdout, messages to stderr. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: TextOutput
  readonly stderr: TextOutput
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder that relative paths start from. */
  readonly cwd: string
  /** Resolves when somebody asks the program to stop. To be called once there is something to stop. */
  stopRequested(): Promise<string>
  /**
   * Does something that has to clean up after itself when somebody asks the program to stop meanwhile.
   *
   * @param work is given a signal that is aborted then, with an AppError as its reason
   */
  interruptibly<T>(work: (stopped: AbortSignal) => Promise<T>): Promise<T>
}

/** Whoever reads our output may have had enough (`admin users list | head -1`), or the terminal was closed; that is no fault. */
const NOBODY_READS: ReadonlySet<string | undefined> = new Set(['EPIPE', 'EIO'])

/** An output of the process. Node forgets what happened to it, and would try again with every piece; here it is over then. */
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
    if (this.#failure === undefined || NOBODY_READS.has(this.#failure.code)) return
    throw new AppError('TASK_FAILED', `${this.#name} cannot be written: ${this.#failure.message}`)
  }

  #fail(error: Error): void {
    this.#failure ??= error
  }
}

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The process's own streams and signals. A second signal ends the process at once. */
export function processIo(): Io {
  return {
    stdin: process.stdin,
    stdout: new ProcessOutput(process.stdout, 'stdout'),
    stderr: new ProcessOutput(process.stderr, 'stderr'),
    env: process.env,
    cwd: process.cwd(),
    stopRequested: () =>
      new Promise((resolve) => {
        for (const signal of STOP_SIGNALS) process.once(signal, () => resolve(signal))
      }),
    async interruptibly(work) {
      const controller = new AbortController()
      const stop = (signal: string) => controller.abort(new AppError('TASK_FAILED', `Interrupted by ${signal}`))
      for (const signal of STOP_SIGNALS) process.once(signal, stop)
      try {
        return await work(controller.signal)
      } finally {
        for (const signal of STOP_SIGNALS) process.off(signal, stop)
      }
    },
  }
}
