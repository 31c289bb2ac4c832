import { useQuery } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import type { LintFinding } from '../../client/client.ts'
import { lintQuery } from '../data/administration.ts'
import { useSession } from '../data/page-session.ts'
import { useAddress } from '../data/use-address.ts'
import { Button } from '../parts/button.tsx'
import { Chip } from '../parts/chip.tsx'
import { PageButtons } from '../parts/page-buttons.tsx'
import { Failure, Notice, Skeleton } from '../parts/states.tsx'
import { DataTable } from '../parts/table.tsx'
import { useLaterText } from '../text/later.ts'
import { FilterSelect } from './checks.tsx'

const SEVERITIES = ['error', 'warn', 'note'] as const
const COLORS = { error: 'red', warn: 'yellow', note: 'blue' } as const
const PAGE_SIZE = 100

/** What the linter finds in the files of the project. */
export function LintFindings() {
  const text = useLaterText().tools
  const { get, page, change } = useAddress()
  const { data, error, refetch, isFetching } = useQuery({ ...lintQuery(useSession()), refetchOnMount: 'always' })
  const severity = get('severity')
  const findings = data?.findings.filter((each) => severity === undefined || each.severity === severity) ?? []
  const shown = findings.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)
  return (
    <div className="stack">
      <div className="filters">
        <FilterSelect
          name="severity"
          label={text.severity}
          options={SEVERITIES.map((value) => ({ value, label: text.severities[value] }))}
        />
        <Button icon={<RefreshCw size={14} aria-hidden />} isBusy={isFetching} onClick={() => void refetch()}>
          {text.check}
        </Button>
      </div>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton />}
      {data !== undefined && (
        <p role="status">
          {text.lintSummary(data.summary.files, data.summary.errors, data.summary.warnings, data.summary.notes)}
        </p>
      )}
      {data !== undefined && findings.length === 0 && <Notice kind="success">{text.noFindings}</Notice>}
      {shown.length > 0 && <FindingTable findings={shown} />}
      <PageButtons
        page={{ page, page_size: PAGE_SIZE, total: findings.length, total_pages: Math.ceil(findings.length / PAGE_SIZE) }}
        onChange={(next) => change({ page: next === 1 ? undefined : String(next) })}
      />
    </div>
  )
}

function FindingTable({ findings }: { readonly findings: readonly LintFinding[] }) {
  const text = useLaterText().tools
  return (
    <DataTable label={text.lint} columns={[text.severity, text.place, text.message, text.rule]} shape="stacks">
      {findings.map(({ file, line, column, rule, severity, message }, index) => (
        // A line may have several findings of a rule, and the list is replaced as a whole.
        <tr key={`${file}:${line}:${column}:${rule}:${index}`}>
          <td>
            <Chip color={COLORS[severity]}>{text.severities[severity]}</Chip>
          </td>
          <td className="mono no-wrap">
            {file}:{line}:{column}
          </td>
          <td className="wrap">{message}</td>
          <td className="mono no-wrap">{rule}</td>
        </tr>
      ))}
    </DataTable>
  )
}
