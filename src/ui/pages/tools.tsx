import { BookOpen } from 'lucide-react'
import { useSite } from '../data/site.ts'
import { useAddress } from '../data/use-address.ts'
import { RunJob } from '../form/run-job.tsx'
import { usePageSettings } from '../hooks.ts'
import { JobPanel } from '../panels/jobs.tsx'
import { LintFindings } from '../panels/lint-findings.tsx'
import { Metrics } from '../panels/metrics.tsx'
import { MockData } from '../panels/mock-data.tsx'
import { ResetData } from '../panels/reset-data.tsx'
import { SnapshotPanel } from '../panels/snapshots.tsx'
import { PageHeader, Tabs } from '../parts/page-header.tsx'
import { useLaterText } from '../text/later.ts'
import { useText } from '../text/text.tsx'
import { SuperusersOnly } from './not-found.tsx'

/** Tools for superusers. */
export function ToolsPage() {
  const { shell } = useText()
  const text = useLaterText().tools
  const { capabilities } = useSite()
  const { docs } = usePageSettings()
  return (
    <SuperusersOnly>
      <PageHeader
        title={text.title}
        actions={
          capabilities.openapi && (
            <a href={docs} className="button button-plain">
              <BookOpen size={14} aria-hidden />
              {shell.apiDocs}
            </a>
          )
        }
      />
      <ToolTabs />
    </SuperusersOnly>
  )
}

/** What the address says of the tab that was open. */
const OTHER_TABS = { page: undefined, severity: undefined, status: undefined, name: undefined, job: undefined } as const

function ToolTabs() {
  const text = useLaterText().tools
  const { capabilities, jobs = [] } = useSite()
  const { get, change } = useAddress()
  const tabs = [
    { value: 'metrics', label: text.metrics, content: <Metrics /> },
    ...(jobs.length > 0
      ? [{ value: 'jobs', label: text.jobs, content: <JobPanel known={jobs} runButton={<RunJob jobs={jobs} />} /> }]
      : []),
    ...(capabilities.lint ? [{ value: 'lint', label: text.lint, content: <LintFindings /> }] : []),
    { value: 'snapshots', label: text.snapshots, content: <SnapshotPanel /> },
    ...(capabilities.mock ? [{ value: 'mock', label: text.mock, content: <MockData /> }] : []),
    { value: 'reset', label: text.resetTab, content: <ResetData /> },
  ]
  const value = tabs.find((tab) => tab.value === get('tab'))?.value ?? 'metrics'
  return (
    <Tabs
      label={text.title}
      tabs={tabs}
      value={value}
      onChange={(tab) => change({ ...OTHER_TABS, tab: tab === 'metrics' ? undefined : tab }, true)}
    />
  )
}
