import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

interface Pause {
  readonly kind: 'turn' | 'gc'
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly ms: number
  /** The processor time of a turn, if the system tells it. */
  readonly cpu: number | null
}

/** The longest pauses of a server in some time, in milliseconds; turns below 20 ms count as 0. */
export interface LongestPauses {
  /** A turn of the event loop, with the pauses for garbage collection in it. */
  readonly turn: number
  /** The most processor time of a turn; null if the system does not tell it. */
  readonly cpu: number | null
  /** A turn without the pauses for garbage collection in it, and without waits for a processor if the system tells them. */
  readonly own: number
  /** A pause for garbage collection. */
  readonly gc: number
}

/** What a server notes of its pauses. */
export class Pauses {
  readonly #folder: string

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async create(): Promise<Pauses> {
    return new Pauses(await mkdtemp(join(tmpdir(), 'admin-bench-pauses-')))
  }

  get #file(): string {
    return join(this.#folder, 'pauses.jsonl')
  }

  /** Arguments of Node.js for the server. */
  readonly execArgv = ['--import', pathToFileURL(join(import.meta.dirname, '../processes/pauses.mjs')).href]

  /** Environment of the server. */
  get env(): Readonly<Record<string, string>> {
    return { PAUSES_FILE: this.#file }
  }

  /** The longest since a time, in milliseconds since the Unix epoch. */
  async longestSince(since: number): Promise<LongestPauses> {
    const text = await readFile(this.#file, 'utf8').catch(() => '')
    const pauses = text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Pause)
      .filter(({ at }) => at >= since)
    const turns = pauses.filter(({ kind }) => kind === 'turn')
    const collections = pauses.filter(({ kind }) => kind === 'gc')
    return {
      turn: longest(turns.map(({ ms }) => ms)),
      cpu: turns.some(({ cpu }) => cpu === null) ? null : longest(turns.map(({ cpu }) => cpu ?? 0)),
      own: longest(turns.map((turn) => Math.min(turn.ms - collected(turn, collections), turn.cpu ?? turn.ms))),
      gc: longest(collections.map(({ ms }) => ms)),
    }
  }

  remove(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true })
  }
}

const longest = (times: readonly number[]): number => Math.max(0, ...times)

/** Milliseconds of garbage collection in a turn. */
const collected = (turn: Pause, collections: readonly Pause[]): number =>
  collections
    .filter(({ at, ms }) => at + ms / 2 > turn.at && at + ms / 2 < turn.at + turn.ms)
    .reduce((sum, { ms }) => sum + ms, 0)
