import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Aggregate } from '../../client/client.ts'
import { fieldOf } from '../data/site.ts'
import { formatNumber } from '../text/format.ts'
import { useLaterText } from '../text/later.ts'
import { useLocale } from '../text/text.tsx'
import { groupFilters, groupingOf, listBehind, type PanelGroup, type PanelParts, shownGroups } from './panel-plan.ts'
import { useGroupTexts, useMeasureText } from './use-group-texts.ts'

interface ChartProps {
  readonly parts: PanelParts
  readonly groups: readonly PanelGroup[]
  readonly nameOf: (key: PanelGroup['key']) => string
  readonly textOf: (value: PanelGroup['value']) => string
}

/** The groups of a panel, drawn as its kind says. Each leads to the list of its records. */
export function GroupCharts({ parts, data }: { readonly parts: PanelParts; readonly data: readonly Aggregate[] }) {
  const text = useLaterText().dashboard
  const { shown, further } = shownGroups(parts, data)
  const chart = { parts, groups: shown, nameOf: useGroupTexts(parts, shown), textOf: useMeasureText(parts) }
  return (
    <>
      {parts.panel.kind === 'line' ? <LineChart {...chart} /> : <GroupTable {...chart} isDrawn={parts.panel.kind === 'bars'} />}
      {further > 0 && <p className="muted">{text.further(further)}</p>}
    </>
  )
}

/** The number of a value for drawing. */
const size = ({ value }: PanelGroup): number => Number(value ?? 0)

const WIDTH = 100

/** Groups with their numbers, drawn as bars: a table, so that assistive technologies read the same. */
function GroupTable({ parts, groups, nameOf, textOf, isDrawn }: ChartProps & { readonly isDrawn: boolean }) {
  const least = Math.min(0, ...groups.map(size))
  const range = Math.max(0, ...groups.map(size)) - least || 1
  const zero = (-least / range) * WIDTH
  return (
    <table className="group-table">
      <Heads parts={parts} />
      <tbody>
        {groups.map((group) => {
          const length = (Math.abs(size(group)) / range) * WIDTH
          return (
            <tr key={String(group.key)}>
              <th scope="row">
                <GroupLink parts={parts} group={group}>
                  {nameOf(group.key)}
                </GroupLink>
              </th>
              {isDrawn && (
                <td className="group-bar" aria-hidden>
                  <svg viewBox={`0 0 ${WIDTH} 8`} preserveAspectRatio="none" aria-hidden="true">
                    <rect x={size(group) < 0 ? zero - length : zero} width={length} height="8" />
                  </svg>
                </td>
              )}
              <td className="number">{textOf(group.value)}</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

/** The heads of a table of groups, which only assistive technologies need. */
function Heads({ parts }: { readonly parts: PanelParts }) {
  const { panel, model } = parts
  const text = useLaterText().dashboard
  const { name = 'count', field = null } = panel.measure ?? {}
  const label = field === null ? '' : (fieldOf(model, field)?.label ?? field)
  return (
    <thead className="visually-hidden">
      <tr>
        <th scope="col">{groupingOf(parts)?.field.label}</th>
        {panel.kind === 'bars' && <td aria-hidden />}
        <th scope="col">{name === 'count' ? text.records : text.measures[name](label)}</th>
      </tr>
    </thead>
  )
}

interface GroupLinkProps {
  readonly parts: PanelParts
  readonly group: PanelGroup
  readonly children: ReactNode
}

const GroupLink = ({ parts, group, children }: GroupLinkProps) =>
  parts.panel.link === false ? (
    children
  ) : (
    <Link
      to="/models/$model"
      params={{ model: parts.model.key }}
      search={listBehind(parts, groupFilters(parts, group.key))}
      title={typeof children === 'string' ? children : undefined}
    >
      {children}
    </Link>
  )

const HEIGHT = 100

/** Numbers over time as a line, with all of them in a table that can be unfolded. */
function LineChart({ parts, groups, nameOf, textOf }: ChartProps) {
  const text = useLaterText().dashboard
  const locale = useLocale()
  const values = groups.flatMap(({ value }) => (value === null ? [] : [Number(value)]))
  const [low, high] = [Math.min(0, ...values), niceTop(Math.max(0, ...values))]
  const range = high - low || 1
  const x = (place: number) => (groups.length === 1 ? WIDTH / 2 : (place / (groups.length - 1)) * WIDTH)
  const y = (value: number) => HEIGHT - ((value - low) / range) * HEIGHT
  const column = WIDTH / Math.max(1, groups.length - 1)
  const points = groups.map((group, place) => (group.value === null ? undefined : ([x(place), y(size(group))] as const)))
  const ends = [...new Set([0, Math.floor((groups.length - 1) / 2), groups.length - 1])]
  return (
    <>
      <div className="line-chart" aria-hidden>
        <div className="line-chart-scale">
          <span>{formatNumber(high, locale)}</span>
          <span>{formatNumber(low, locale)}</span>
        </div>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          {[0, HEIGHT / 2, HEIGHT].map((level) => (
            <path key={level} className="line-chart-grid" d={`M0 ${level}H${WIDTH}`} />
          ))}
          <path className="line-chart-line" d={lineOf(points)} />
          {points.map((point, place) =>
            point === undefined ? undefined : (
              // A line without a length has round ends, which no stretching of the drawing changes.
              <path key={groups[place]?.key as string} className="line-chart-dot" d={`M${point[0]} ${point[1]}h0`} />
            ),
          )}
          {groups.map(({ key, value }, place) => (
            <rect key={key as string} className="line-chart-hover" x={x(place) - column / 2} width={column} height={HEIGHT}>
              <title>{`${nameOf(key)}: ${textOf(value)}`}</title>
            </rect>
          ))}
        </svg>
        <div className="line-chart-names">
          {ends.map((place) => (
            <span key={place}>{nameOf(groups[place]?.key ?? null)}</span>
          ))}
        </div>
      </div>
      <details className="chart-numbers">
        <summary>{text.numbers}</summary>
        <GroupTable parts={parts} groups={groups.toReversed()} nameOf={nameOf} textOf={textOf} isDrawn={false} />
      </details>
    </>
  )
}

/** The path through the points; a missing one is a gap. */
function lineOf(points: readonly (readonly [number, number] | undefined)[]): string {
  return points
    .map((point, place) => (point === undefined ? '' : `${points[place - 1] === undefined ? 'M' : 'L'}${point[0]} ${point[1]}`))
    .join('')
}

/** The least number of one or two digits and zeros that is not less: the upper end of a scale. */
export function niceTop(value: number): number {
  if (value <= 0) return 0
  const unit = 10 ** Math.floor(Math.log10(value))
  const step = [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((each) => each * unit >= value) ?? 10
  // Halves of a count would be no count.
  return value <= 10 && Number.isInteger(value) ? value : step * unit
}
