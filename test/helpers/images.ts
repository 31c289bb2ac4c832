import type { ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { type ForkImageProcess, forkImageProcess, type ImageChild } from '../../src/images/image-process.ts'

/** Jobs after which a process is not used again, since its memory grows. */
const JOBS = 100

interface Kept {
  readonly child: ChildProcess
  jobs: number
}

/** Processes that wait for the next application of this process. They end with it, since their channel does. */
const idle: Kept[] = []

const start = (): Kept => ({ child: forkImageProcess(), jobs: 0 })

/** While a process works, this process waits for it; otherwise it may end. */
function hold({ child }: Kept, isHeld: boolean): void {
  const act = isHeld ? 'ref' : 'unref'
  child[act]()
  child.channel?.[act]()
}

/** An image process that another application has used before. The end of one without a job keeps it for the next. */
class KeptImageProcess extends EventEmitter {
  readonly #kept: Kept
  #works = false

  constructor(kept: Kept) {
    super()
    this.#kept = kept
    hold(kept, false)
    kept.child.on('message', this.#onMessage).on('exit', this.#onExit).on('error', this.#onError)
  }

  readonly #onMessage = (message: unknown): void => {
    this.#works = false
    hold(this.#kept, false)
    this.emit('message', message)
  }
  readonly #onExit = (code: number | null, signal: NodeJS.Signals | null): boolean => this.emit('exit', code, signal)
  readonly #onError = (error: Error): boolean => this.emit('error', error)

  send(job: object, callback: (error: Error | null) => void): boolean {
    this.#works = true
    this.#kept.jobs++
    hold(this.#kept, true)
    return this.#kept.child.send(job, callback)
  }

  kill(signal?: NodeJS.Signals): boolean {
    const { child, jobs } = this.#kept
    const isReusable = !this.#works && jobs < JOBS && child.connected
    if (!isReusable) return child.kill(signal)
    child.off('message', this.#onMessage).off('exit', this.#onExit).off('error', this.#onError)
    idle.push(this.#kept)
    return true
  }
}

/** Takes an image process that another application has left, or starts one, which takes 0.3 seconds of CPU time. */
export const keptImageProcess: ForkImageProcess = () => {
  const kept = idle.pop()
  return new KeptImageProcess(kept?.child.connected === true ? kept : start()) as unknown as ImageChild
}
