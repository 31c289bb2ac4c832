import { DateCell } from '../../cells/date-cell.tsx'
import { useLocale } from '../../cells/use-locale.ts'
import { bucketsOf, quantile, type Sample, singleValue } from '../../data/metrics.ts'
import { useText } from '../../text/text.tsx'
import { DURATIONS, MEMORY, OUTBOX, STARTED } from './metric-names.ts'

/** Figures that are single numbers. */
export function MetricFacts({ samples }: { readonly samples: readonly Sample[] }) {
  const text = useText().tools
  const locale = useLocale()
  const buckets = bucketsOf(samples, DURATIONS)
  const number = (value: number, digits = 0) => value.toLocaleString(locale, { maximumFractionDigits: digits })
  const milliseconds = (part: number) => {
    const seconds = quantile(buckets, part)
    return seconds === undefined ? '–' : `${number(seconds * 1000, 1)} ms`
  }
  const started = singleValue(samples, STARTED)
  const memory = singleValue(samples, MEMORY)
  return (
    <dl className="facts">
      <dt>{text.median}</dt>
      <dd>{milliseconds(0.5)}</dd>
      <dt>{text.slowest(95)}</dt>
      <dd>{milliseconds(0.95)}</dd>
      <dt>{text.slowest(99)}</dt>
      <dd>{milliseconds(0.99)}</dd>
      <dt>{text.started}</dt>
      <dd>{started === undefined ? '–' : <DateCell type="datetime" value={new Date(started * 1000).toISOString()} />}</dd>
      <dt>{text.memory}</dt>
      <dd>{memory === undefined ? '–' : `${number(memory / 1024 / 1024)} MiB`}</dd>
      <dt>{text.outbox}</dt>
      <dd>{number(singleValue(samples, OUTBOX) ?? 0)}</dd>
    </dl>
  )
}
