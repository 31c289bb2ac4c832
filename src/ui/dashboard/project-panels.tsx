import '../styles/dashboard.css'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useId, useMemo } from 'react'
import type { SitePanel } from '../../client/client.ts'
import { useSession } from '../data/page-session.ts'
import { modelOf, useSite } from '../data/site.ts'
import type { ApiFilters } from '../list/filter-text.ts'
import { partOnUse } from '../parts/lazy-part.ts'
import { Loaded } from '../parts/loaded.tsx'
import { Failure, Notice, Skeleton } from '../parts/states.tsx'
import { useLaterText } from '../text/later.ts'
import { listBehind, measured, type PanelParts, panelFilters, panelQuery } from './panel-plan.ts'
import { RecordRows } from './record-rows.tsx'
import { useMeasureText } from './use-group-texts.ts'

const Charts = partOnUse(() => import('./charts.tsx').then((module) => module.GroupCharts))

/** The panels that the project puts on the first page. One that fails leaves the others. */
export function ProjectPanels({ panels }: { readonly panels: readonly SitePanel[] }) {
  return (
    <div className="project-panels">
      {panels.map((panel, place) => (
        <ProjectPanel key={place} panel={panel} />
      ))}
    </div>
  )
}

function ProjectPanel({ panel }: { readonly panel: SitePanel }) {
  const site = useSite()
  const text = useLaterText().dashboard
  const model = modelOf(site, panel.model)
  const parts = useMemo(() => model && { panel, model }, [panel, model])
  const filters = useMemo(() => parts && panelFilters(site, parts, new Date()), [site, parts])
  if (parts === undefined) return null
  return (
    <PanelFrame parts={parts}>
      {filters === undefined ? (
        <Notice kind="warning">{text.unknownFilter}</Notice>
      ) : (
        <PanelBody parts={parts} filters={filters} />
      )}
    </PanelFrame>
  )
}

function PanelFrame({ parts, children }: { readonly parts: PanelParts; readonly children: ReactNode }) {
  const { panel, model } = parts
  const id = useId()
  const size = panel.size ?? (panel.kind === 'number' ? 'small' : 'medium')
  return (
    <section className="panel project-panel" data-kind={panel.kind} data-size={size} aria-labelledby={id}>
      <h2 id={id}>
        {panel.link === false ? (
          panel.title
        ) : (
          <Link to="/models/$model" params={{ model: model.key }} search={listBehind(parts)} className="project-panel-link">
            {panel.title}
          </Link>
        )}
      </h2>
      {children}
    </section>
  )
}

interface BodyProps {
  readonly parts: PanelParts
  readonly filters: ApiFilters
}

function PanelBody(props: BodyProps) {
  const { kind, group_by: groupBy } = props.parts.panel
  if (kind === 'table' && groupBy === null) return <RecordRows {...props} />
  return <Measured {...props} />
}

const LINES = 5

/** A panel of numbers that the server computes. */
function Measured({ parts, filters }: BodyProps) {
  const text = useLaterText().dashboard
  const isNumber = parts.panel.kind === 'number'
  const { data, error, refetch } = useQuery(panelQuery(useSession(), parts, filters))
  const textOf = useMeasureText(parts)
  if (error !== null && data === undefined) return <Failure error={error} onRetry={() => void refetch()} />
  const waiting = <Skeleton lines={isNumber ? 1 : LINES} />
  if (data === undefined) return waiting
  if (isNumber) return <p className="project-panel-number">{textOf(measured(parts.panel, data[0]))}</p>
  if (data.length === 0) return <p className="muted">{text.noRecords}</p>
  return (
    <Loaded fallback={waiting}>
      <Charts parts={parts} data={data} />
    </Loaded>
  )
}
