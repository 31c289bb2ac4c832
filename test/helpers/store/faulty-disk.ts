import { basename } from 'node:path'
import { type AppendFile, type Disk, nodeDisk, type ReadFile } from '../../../src/store/embedded/files/disk.ts'

export type StepKind =
  | 'open'
  | 'create'
  | 'write'
  | 'sync'
  | 'truncate'
  | 'close'
  | 'look'
  | 'read'
  | 'list'
  | 'rename'
  | 'remove'
  | 'syncFolder'

/** One operation of a disk. `name` is that of the file or folder. */
export interface Step {
  readonly kind: StepKind
  readonly name: string
}

type Hook = (step: Step) => unknown

/** An error of the file system. */
export const diskError = (code: string): Error => Object.assign(new Error(`${code}: the disk was told to fail`), { code })

/** The real disk with an interceptor: records every step, and can delay it or make it fail. */
export class FaultyDisk implements Disk {
  /** Finished steps, in the order in which they ended. */
  readonly done: Step[] = []
  /** Durable length of each file, in bytes. */
  readonly synced = new Map<string, number>()
  /** Maximum number of bytes of one write. */
  bytesPerWrite = Number.POSITIVE_INFINITY
  /** Called before each step, which waits for it and fails if it throws. */
  before: Hook = () => {}
  /** Called after each step, in the same way. */
  after: Hook = () => {}

  /** Lets every step succeed again. */
  mend(): void {
    this.bytesPerWrite = Number.POSITIVE_INFINITY
    this.before = () => {}
    this.after = () => {}
  }

  /** Makes every step of these kinds fail. */
  fail(code: string, ...kinds: readonly StepKind[]): void {
    this.before = ({ kind }) => {
      if (kinds.includes(kind)) throw diskError(code)
    }
  }

  /** Delays every step of a kind, or its end, until it is released. `reached` resolves when the first one waits. */
  hold(wanted: StepKind, moment: 'before' | 'after' = 'before'): { readonly reached: Promise<void>; release(): void } {
    let reach = () => {}
    let release = () => {}
    const reached = new Promise<void>((resolve) => {
      reach = resolve
    })
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    this[moment] = ({ kind }) => {
      if (kind !== wanted) return undefined
      reach()
      return released
    }
    return { reached, release: () => release() }
  }

  /** Number of finished steps of a kind. */
  count(kind: StepKind): number {
    return this.done.filter((step) => step.kind === kind).length
  }

  /** Number of finished steps of a kind with files of the journal. */
  countInJournal(kind: StepKind): number {
    return this.done.filter((step) => step.kind === kind && step.name.startsWith('journal.')).length
  }

  async openAppend(path: string): Promise<AppendFile> {
    const file = await this.#step('open', path, () => nodeDisk.openAppend(path))
    return this.#watched(path, file, (await nodeDisk.readBytes(path)).length)
  }

  async openNew(path: string): Promise<AppendFile> {
    return this.#watched(path, await this.#step('create', path, () => nodeDisk.openNew(path)), 0)
  }

  async openRead(path: string): Promise<ReadFile | undefined> {
    const file = await this.#step('look', path, () => nodeDisk.openRead(path))
    return file && { ...file, read: (into, position) => this.#step('read', path, () => file.read(into, position)) }
  }

  rename(from: string, to: string): Promise<void> {
    return this.#step('rename', from, () => nodeDisk.rename(from, to))
  }

  #watched(path: string, file: AppendFile, start: number): AppendFile {
    let length = start
    return {
      write: (bytes, position) =>
        this.#step('write', path, async () => {
          const some = bytes.subarray(0, Math.min(bytes.length, this.bytesPerWrite))
          const count = some.length === 0 ? 0 : await file.write(some, position)
          length += count
          return count
        }),
      sync: () => {
        const before = length
        return this.#step('sync', path, async () => {
          await file.sync()
          this.synced.set(path, before)
        })
      },
      truncate: (to) =>
        this.#step('truncate', path, async () => {
          await file.truncate(to)
          length = to
        }),
      close: () =>
        this.#step('close', path, () => file.close()).catch(async (error) => {
          // The file is closed even if the system reports an error, as with close(2).
          await file.close()
          throw error
        }),
    }
  }

  readBytes(path: string): Promise<Buffer> {
    return this.#step('read', path, () => nodeDisk.readBytes(path))
  }

  list(folder: string): Promise<string[]> {
    return this.#step('list', folder, () => nodeDisk.list(folder))
  }

  remove(path: string): Promise<void> {
    return this.#step('remove', path, () => nodeDisk.remove(path))
  }

  syncFolder(folder: string): Promise<void> {
    return this.#step('syncFolder', folder, () => nodeDisk.syncFolder(folder))
  }

  async #step<T>(kind: StepKind, path: string, run: () => Promise<T>): Promise<T> {
    const step = { kind, name: basename(path) }
    await this.before(step)
    const result = await run()
    this.done.push(step)
    await this.after(step)
    return result
  }
}
