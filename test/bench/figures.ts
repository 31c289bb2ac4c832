/** A measurement beside its baseline, both medians of the same run; `ratio` is ours over the baseline's. */
export interface Figure {
  readonly name: string
  readonly unit: string
  readonly ours: number
  readonly baseline: number
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

export function printFigures(figures: readonly Figure[], asJson: boolean): void {
  const rows = figures.map((figure) => ({ ...figure, ratio: figure.ours / figure.baseline }))
  if (asJson) {
    process.stdout.write(`${JSON.stringify({ node: process.version, figures: rows }, null, 2)}\n`)
    return
  }
  for (const { name, unit, ours, baseline, ratio } of rows) {
    process.stdout.write(
      `${name}: ${ours.toFixed(0)} ${unit}, baseline ${baseline.toFixed(0)} ${unit}, ratio ${ratio.toFixed(2)}\n`,
    )
  }
}
