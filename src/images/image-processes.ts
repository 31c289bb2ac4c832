import { AppError } from '../errors.ts'
import type { Timer } from '../util/clock.ts'
import type { ImageJob, JobOutcome } from './image-jobs.ts'
import { type ForkImageProcess, forkImageProcess, ImageProcess, ImageProcessEnded } from './image-process.ts'

/** Limits of the image processes. */
export interface ImageLimits {
  /** Maximum number of processes. */
  readonly processes: number
  /** Maximum number of thumbnails that wait for a process. */
  readonly waiting: number
  /** Maximum time of a job, in milliseconds. */
  readonly jobMs: number
  /** Time after which a process without work ends, in milliseconds. */
  readonly idleMs: number
  /** A process is replaced after so many jobs, or if it has so many bytes of memory. */
  readonly jobs: number
  readonly memory: number
}

export const IMAGE_LIMITS: ImageLimits = {
  processes: 2,
  waiting: 100,
  jobMs: 20_000,
  idleMs: 60_000,
  jobs: 200,
  memory: 512 * 1024 * 1024,
}

/** Seconds after which a client may ask again for a thumbnail. */
const RETRY_AFTER_SECONDS = 5

/** Counters and states for `/metrics`. */
export interface ImageFigures {
  /** Jobs that wait for a process, and that run. */
  readonly waiting: number
  readonly running: number
  readonly processes: number
  /** Since the start: jobs that ended, processes that were started, and processes that were ended because of their job. */
  readonly jobs: number
  readonly forks: number
  readonly kills: number
}

/** Brings the file of a job onto the disk. @returns its path */
type Prepare = () => Promise<string>

interface WaitingJob {
  readonly job: ImageJob
  readonly prepare: Prepare | undefined
  resolve(outcome: JobOutcome): void
  reject(error: unknown): void
}

/**
 * Runs jobs in processes of their own, started when there is work. A job that takes too long, or ends its process, fails alone: the next job gets
 * another process.
 */
export class ImageProcesses {
  readonly #timer: Timer
  readonly #fork: ForkImageProcess
  readonly #limits: ImageLimits
  readonly #all = new Set<ImageProcess>()
  /** Processes without a job, with what cancels their end; the last one is used first, so that others become idle. */
  readonly #idle: { readonly child: ImageProcess; cancel(): void }[] = []
  /** Uploads have sent their bytes, so they go first. Their number has a limit of its own. */
  readonly #uploads: WaitingJob[] = []
  readonly #thumbnails: WaitingJob[] = []
  #isClosed = false
  #running = 0
  #jobs = 0
  #forks = 0
  #kills = 0

  constructor({
    timer,
    fork = forkImageProcess,
    limits = IMAGE_LIMITS,
  }: { timer: Timer; fork?: ForkImageProcess | undefined; limits?: ImageLimits }) {
    this.#timer = timer
    this.#fork = fork
    this.#limits = limits
  }

  /**
   * Runs a job when a process is free.
   *
   * @param prepare called when a process is free, so that jobs which wait or are refused take no space on the disk; its path takes the place of
   * that of the job, and its time is none of the job
   * @throws {AppError} IMAGES_BUSY for a thumbnail, if too many wait
   * @throws {ImageProcessEnded} if the job took too long, or ended its process; what `prepare` throws
   */
  async run(job: ImageJob, prepare?: Prepare): Promise<JobOutcome> {
    const queue = job.kind === 'inspect' ? this.#uploads : this.#thumbnails
    if (queue === this.#thumbnails && queue.length >= this.#limits.waiting) {
      throw new AppError('IMAGES_BUSY', `${queue.length} thumbnails are waiting to be made; try again later`, {
        retryAfter: RETRY_AFTER_SECONDS,
      })
    }
    return new Promise((resolve, reject) => {
      queue.push({ job, prepare, resolve, reject })
      this.#dispatch()
    })
  }

  figures(): ImageFigures {
    return {
      waiting: this.#uploads.length + this.#thumbnails.length,
      running: this.#running,
      processes: this.#all.size,
      jobs: this.#jobs,
      forks: this.#forks,
      kills: this.#kills,
    }
  }

  /** Ends all processes; their jobs, and those that wait, fail. */
  close(): void {
    this.#isClosed = true
    for (const { cancel } of this.#idle.splice(0)) cancel()
    for (const child of this.#all) child.kill(closing())
    this.#dispatch()
  }

  #dispatch(): void {
    for (;;) {
      const next = this.#uploads[0] ?? this.#thumbnails[0]
      if (next === undefined) return
      if (!this.#isClosed && this.#idle.length === 0 && this.#all.size >= this.#limits.processes) return
      ;(next === this.#uploads[0] ? this.#uploads : this.#thumbnails).shift()
      if (this.#isClosed) next.reject(closing())
      else void this.#work(next)
    }
  }

  async #work({ job, prepare, resolve, reject }: WaitingJob): Promise<void> {
    this.#running++
    try {
      const child = this.#take()
      try {
        const prepared = prepare === undefined ? job : { ...job, path: await prepare() }
        resolve(await this.#runIn(child, prepared))
      } finally {
        this.#giveBack(child)
      }
    } catch (error) {
      reject(error)
    } finally {
      this.#running--
      this.#jobs++
      this.#dispatch()
    }
  }

  async #runIn(child: ImageProcess, job: ImageJob): Promise<JobOutcome> {
    const { jobMs } = this.#limits
    const cancel = this.#timer(jobMs, () => {
      this.#kills++
      child.kill(new ImageProcessEnded(`it took more than ${jobMs / 1000} seconds`))
    })
    try {
      return (await child.run(job)).outcome
    } finally {
      cancel()
    }
  }

  /** A process without a job, or a new one. */
  #take(): ImageProcess {
    const idle = this.#idle.pop()
    if (idle !== undefined) {
      idle.cancel()
      return idle.child
    }
    this.#forks++
    const child: ImageProcess = new ImageProcess(this.#fork, () => this.#forget(child))
    this.#all.add(child)
    return child
  }

  /** Keeps a process for the next job, or ends it. */
  #giveBack(child: ImageProcess): void {
    if (!this.#all.has(child)) return
    const { jobs, memory, idleMs } = this.#limits
    if (child.jobs >= jobs || child.memory >= memory) {
      child.kill(new Error('The image process is replaced'))
      return
    }
    const cancel = this.#timer(idleMs, () => child.kill(new Error('The image process is idle')))
    this.#idle.push({ child, cancel })
  }

  #forget(child: ImageProcess): void {
    this.#all.delete(child)
    const index = this.#idle.findIndex((each) => each.child === child)
    for (const { cancel } of index === -1 ? [] : this.#idle.splice(index, 1)) cancel()
    this.#dispatch()
  }
}

const closing = (): AppError => new AppError('SERVER_NOT_READY', 'The server is closing; try again later', { retryAfter: 1 })
