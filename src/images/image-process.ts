import { type ChildProcess, fork } from 'node:child_process'
import { ownModule } from '../util/own-modules.ts'
import type { ImageJob, JobAnswer } from './image-jobs.ts'

/** What is used of an image process: it answers each message, an `ImageJob`, by a `JobAnswer`. */
export type ImageChild = Pick<ChildProcess, 'send' | 'kill' | 'on'>

/** Starts an image process. */
export type ForkImageProcess = () => ImageChild

const WORKER = ownModule('images/image-worker')

/** Variables of the environment that the process gets, if they are set: where temporary files are, and what Windows needs. */
const VARIABLES = ['TMPDIR', 'TEMP', 'TMP', 'SystemRoot']

/** Starts the image process of this package. It gets no secrets: neither the environment of the server nor its open files. */
export const forkImageProcess = (): ChildProcess =>
  fork(WORKER.path, [], {
    execArgv: WORKER.isSource ? ['--import', import.meta.resolve('tsx')] : [],
    env: Object.fromEntries(VARIABLES.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })

/** The image process has ended before it answered, because of its job. The message says how, as in `it ended by SIGSEGV`. */
export class ImageProcessEnded extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ImageProcessEnded'
  }
}

/** A running image process, which does one job at a time. */
export class ImageProcess {
  readonly #child: ImageChild
  readonly #onEnd: () => void
  #answer: ((answer: JobAnswer) => void) | undefined
  #fail: ((error: Error) => void) | undefined
  /** Why it has ended or is being ended; undefined while it runs. */
  #end: Error | undefined
  /** Number of jobs it has answered. */
  jobs = 0
  /** Its memory after the last job, in bytes. */
  memory = 0

  /** @param onEnd called once, when it has ended by itself or by `kill` */
  constructor(forkProcess: ForkImageProcess, onEnd: () => void) {
    this.#onEnd = onEnd
    this.#child = forkProcess()
    this.#child.on('message', (answer: JobAnswer) => {
      this.jobs++
      this.memory = answer.memory
      this.#answer?.(answer)
    })
    const ended = (error: Error): void => {
      const isFirst = this.#end === undefined
      this.#end ??= error
      this.#fail?.(this.#end)
      if (isFirst) onEnd()
    }
    this.#child.on('error', (cause) => ended(new Error('The image process cannot be started', { cause })))
    this.#child.on('exit', (code, signal) =>
      ended(new ImageProcessEnded(`it ended by ${signal === null ? `code ${code}` : signal}`)),
    )
  }

  /** @throws {ImageProcessEnded} if it ends before it answers, and the reason of `kill` */
  run(job: ImageJob): Promise<JobAnswer> {
    return new Promise((resolve, reject) => {
      this.#answer = resolve
      this.#fail = reject
      if (this.#end !== undefined) reject(this.#end)
      else this.#child.send(job, (error) => error !== null && reject(error))
    })
  }

  /** Ends it at once. @param reason the error of a job that runs */
  kill(reason: Error): void {
    if (this.#end !== undefined) return
    this.#end = reason
    this.#child.kill('SIGKILL')
    this.#fail?.(reason)
    this.#onEnd()
  }
}
