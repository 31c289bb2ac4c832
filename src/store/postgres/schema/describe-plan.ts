import type { SchemaPlan } from './plan.ts'
import type { RowsInTheWay, Step } from './plan-draft.ts'

type Described = Pick<SchemaPlan, 'steps' | 'unused'>

/** A plan as SQL with comments. */
export function describePlan({ steps, unused }: Described): string {
  const kept = unused.map((step) => ({ ...step, reason: `${step.reason}; it is kept, unused` }))
  return [...steps, ...kept].map(describeStep).join('\n\n')
}

function describeStep(step: Step): string {
  const when = step.isConcurrent === true ? ', after the other steps' : ''
  const lines = [`-- ${step.class}${when}: ${step.reason}`, ...(step.rows === undefined ? [] : describeRows(step.rows))]
  if (step.class === 'destructive') lines.push(`-- only with --allow-destructive${step.keep?.length ? '; otherwise:' : ''}`)
  const kept = step.class === 'destructive' ? (step.keep ?? []).map((statement) => `--   ${textOf(statement)};`) : []
  return [...lines, ...kept, ...step.statements.map((statement) => `${textOf(statement)};`)].join('\n')
}

function describeRows({ count, examples }: RowsInTheWay): string[] {
  if (count === 0) return ['-- no row is in the way']
  const shown = examples.map(({ id, value }) => `--   id ${id}: ${value === null ? 'no value' : JSON.stringify(value)}`)
  const more = count > examples.length ? [`--   and ${count - examples.length} more`] : []
  return [`-- ${count} ${count === 1 ? 'row is' : 'rows are'} in the way`, ...shown, ...more]
}

const textOf = (statement: Step['statements'][number]): string => statement.compile().text.replace(/\s*\n\s*/g, ' ')

/** A plan as plain data, for `--format json`. */
export function planJson({ steps, unused }: Described): object {
  const plain = ({ class: kind, reason, statements, rows, keep, isConcurrent }: Step) => ({
    class: kind,
    reason,
    sql: statements.map(textOf),
    ...(rows && { rows }),
    ...(keep && { keep: keep.map(textOf) }),
    ...(isConcurrent && { concurrently: true }),
  })
  return { steps: steps.map(plain), unused: unused.map(plain) }
}
