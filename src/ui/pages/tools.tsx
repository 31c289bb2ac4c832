import { BookOpen } from 'lucide-react'
import { useSite } from '../data/site.ts'
import { useAddress } from '../data/use-address.ts'
import { usePageSettings } from '../hooks.ts'
import { LintFindings } from '../panels/lint-findings.tsx'
import { Metrics } from '../panels/metrics.tsx'
import { MockData } from '../panels/mock-data.tsx'
import { ResetData } from '../panels/reset-data.tsx'
import { SnapshotPanel } from '../panels/snapshots.tsx'
import { PageHeader, Tabs } from '../parts/page-header.tsx'
import { useText } from '../text/text.tsx'
import { SuperusersOnly } from './not-found.tsx'

/** Tools for superusers. */
export function ToolsPage() {
  const { tools: text, shell } = useText()
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

function ToolTabs() {
  const text = useText().tools
  const { capabilities } = useSite()
  const { get, change } = useAddress()
  const tabs = [
    { value: 'metrics', label: text.metrics, content: <Metrics /> },
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
      onChange={(tab) => change({ tab: tab === 'metrics' ? undefined : tab, page: undefined, severity: undefined }, true)}
    />
  )
}
