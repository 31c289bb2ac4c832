import { BookOpen } from 'lucide-react'
import { SuperusersOnly } from '../administration/superusers-only.tsx'
import { LintFindings } from '../administration/tools/lint-findings.tsx'
import { Metrics } from '../administration/tools/metrics.tsx'
import { MockData } from '../administration/tools/mock-data.tsx'
import { ResetData } from '../administration/tools/reset-data.tsx'
import { Snapshots } from '../administration/tools/snapshots.tsx'
import { useAddress } from '../administration/use-address.ts'
import { useSite } from '../data/site.ts'
import { PageHeader } from '../parts/page-header.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useText } from '../text/text.tsx'
import { usePageSettings } from '../use-page-settings.ts'

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
    { value: 'snapshots', label: text.snapshots, content: <Snapshots /> },
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
