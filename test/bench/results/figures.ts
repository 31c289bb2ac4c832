/** The required ratio of a figure. */
export interface Bar {
  readonly is: 'at least' | 'at most'
  readonly ratio: number
}

/** A measurement, with its baseline of the same run if it has one. */
export interface Figure {
  readonly bench: string
  readonly name: string
  /** Number of records, if it matters. */
  readonly records?: number
  readonly unit: string
  readonly ours: number
  readonly baseline?: number
  /** `ours` divided by `baseline`. */
  readonly ratio?: number
  readonly bar?: Bar
  /** Further values: latencies in milliseconds, counts. */
  readonly details?: Readonly<Record<string, number>>
}

/** A measurement that failed or is invalid, with the reason. */
export interface Failure {
  readonly bench: string
  readonly name: string
  readonly records?: number
  readonly failure: string
}

/** Creates a failure and prints its reason to stderr. */
export function failureOf(what: Omit<Failure, 'failure'>, error: unknown): Failure {
  const failure = reasonOf(error)
  process.stderr.write(`  ${what.name}: ${failure}\n`)
  return { ...what, failure }
}

/** The text of an error, shortened. For a process that ran out of memory, its line `FATAL ERROR`. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const fatal = /^FATAL ERROR.*$/m.exec(error.message)?.[0]
  const text = fatal ?? error.message.slice(0, 1500)
  return error.cause === undefined ? text : `${text} (${reasonOf(error.cause)})`
}

export type Result = Figure | Failure

export const isFailure = (result: Result): result is Failure => 'failure' in result

/** A figure that has an upper limit in place of a baseline. */
export const limitedFigure = (figure: Omit<Figure, 'baseline' | 'ratio' | 'bar'>, limit: number): Figure => ({
  ...figure,
  baseline: limit,
  ratio: figure.ours / limit,
  bar: { is: 'at most', ratio: 1 },
})

/** Whether a figure meets its bar. True without a bar. */
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

/** A percentile by the nearest-rank method; NaN without values. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN
}
