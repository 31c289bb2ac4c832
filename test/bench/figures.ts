/** What a ratio must hold. */
export interface Bar {
  readonly is: 'at least' | 'at most'
  readonly ratio: number
}

/** A measurement, beside its baseline where there is one, both of the same run. */
export interface Figure {
  readonly bench: string
  readonly name: string
  /** How many records there were, where that matters. */
  readonly records?: number
  readonly unit: string
  readonly ours: number
  readonly baseline?: number
  /** Ours over the baseline. */
  readonly ratio?: number
  readonly bar?: Bar
  /** What else was seen: latencies in milliseconds, counts. */
  readonly details?: Readonly<Record<string, number>>
}

/** A measurement that could not be taken, or is worth nothing, and why. */
export interface Failure {
  readonly bench: string
  readonly name: string
  readonly records?: number
  readonly failure: string
}

/** Notes that something could not be measured, and says so at once. */
export function failureOf(what: Omit<Failure, 'failure'>, error: unknown): Failure {
  const failure = reasonOf(error)
  process.stderr.write(`  ${what.name}: ${failure}\n`)
  return { ...what, failure }
}

/** An error in a few words; of a process that ran out of memory the line that says so. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const fatal = /^FATAL ERROR.*$/m.exec(error.message)?.[0]
  const text = fatal ?? error.message.slice(0, 1500)
  return error.cause === undefined ? text : `${text} (${reasonOf(error.cause)})`
}

export type Result = Figure | Failure

export const isFailure = (result: Result): result is Failure => 'failure' in result

/** True when there is no bar to miss. */
export function meets({ ratio = Number.NaN, bar }: Figure): boolean {
  if (bar === undefined) return true
  return bar.is === 'at least' ? ratio >= bar.ratio : ratio <= bar.ratio
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** The value that `percent` of all values do not exceed (nearest rank); NaN of none. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN
}
