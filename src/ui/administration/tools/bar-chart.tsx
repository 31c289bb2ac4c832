import { useLocale } from '../../cells/use-locale.ts'

/** A bar of a chart. */
export interface Bar {
  readonly label: string
  readonly value: number
  /** `bad` for what should not be. */
  readonly tone?: 'plain' | 'bad'
}

interface BarChartProps {
  readonly title: string
  readonly bars: readonly Bar[]
  /** Head of the column of labels. */
  readonly labels: string
  /** Head of the column of values. */
  readonly values: string
}

const WIDTH = 100

/** Values as bars. It is a table, so that assistive technologies read the same. */
export function BarChart({ title, bars, labels, values }: BarChartProps) {
  const locale = useLocale()
  const highest = Math.max(1, ...bars.map(({ value }) => value))
  return (
    <table className="chart">
      <caption>{title}</caption>
      <thead className="visually-hidden">
        <tr>
          <th scope="col">{labels}</th>
          <th scope="col">{values}</th>
        </tr>
      </thead>
      <tbody>
        {bars.map(({ label, value, tone = 'plain' }) => (
          <tr key={label}>
            <th scope="row" title={label}>
              {label}
            </th>
            <td>
              <div className="chart-cell">
                <svg
                  className="chart-bar"
                  data-tone={tone}
                  viewBox={`0 0 ${WIDTH} 8`}
                  preserveAspectRatio="none"
                  aria-hidden="true"
                >
                  <rect width={(value / highest) * WIDTH} height="8" />
                </svg>
                <span className="chart-value">{value.toLocaleString(locale)}</span>
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
