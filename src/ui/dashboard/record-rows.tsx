import { useQuery } from '@tanstack/react-query'
import { Cell, NameCell, RecordLink } from '../cells/cell.tsx'
import { useSession } from '../data/page-session.ts'
import { type AnyRecord, listQuery } from '../data/records.ts'
import { requestedIncludes } from '../data/related.ts'
import { useSite } from '../data/site.ts'
import { useViews } from '../data/use-views.ts'
import type { ModelViews } from '../data/views.ts'
import {
  allColumns,
  apiSort,
  columnClass,
  type ListColumn,
  linkColumn,
  requestedFields,
  shownColumns,
  viewSort,
} from '../list/columns.ts'
import type { ApiFilters } from '../list/filter-text.ts'
import { Failure, Skeleton } from '../parts/states.tsx'
import { DataTable } from '../parts/table.tsx'
import { useLaterText } from '../text/later.ts'
import type { PanelParts } from './panel-plan.ts'

const DEFAULT_ROWS = 5
/** Columns that a panel has room for. */
const COLUMNS = 3

interface RowsProps {
  readonly parts: PanelParts
  readonly filters: ApiFilters
}

/** The first records of a list, in the columns of its view. */
export function RecordRows(props: RowsProps) {
  const { model, panel } = props.parts
  const { data, error, refetch } = useViews(model.key)
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton lines={panel.limit ?? DEFAULT_ROWS} />
  return <Rows {...props} views={data} />
}

function Rows({ parts, filters: { filters, any }, views }: RowsProps & { readonly views: ModelViews }) {
  const { panel, model } = parts
  const site = useSite()
  const text = useLaterText().dashboard
  const view = views.lists.find(({ name }) => name === panel.link) ?? views.lists[0]
  const all = view === undefined ? [] : allColumns(model, view, views.forms)
  const named = shownColumns(all, undefined).filter(({ field }) => !HIDDEN.has(field.type))
  const link = linkColumn(named, model)
  const columns = withLink(named, link)
  const sort = typeof panel.sort === 'object' ? panel.sort : undefined
  const plan = {
    ...{ q: '', page: 1, page_size: panel.limit ?? DEFAULT_ROWS, filters, any },
    sort: apiSort(site, model, sort ?? (view === undefined ? [] : viewSort(view))),
    fields: requestedFields(columns, model),
    include: requestedIncludes(
      site,
      columns.map(({ field }) => field),
    ),
  }
  const { data, error, refetch } = useQuery(listQuery(useSession(), model.key, plan))
  if (error !== null && data === undefined) return <Failure error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton lines={plan.page_size} />
  if (data.data.length === 0) return <p className="muted">{text.noRecords}</p>
  const cell = ({ name, field, view: shown }: ListColumn, record: AnyRecord) => {
    const value = record[name]
    if (name !== link?.name) return <Cell field={field} view={shown} value={value} record={record} />
    return (
      <RecordLink model={model.key} id={String(record.id)} className="project-panel-name">
        <NameCell field={field} view={shown} value={value} record={record} />
      </RecordLink>
    )
  }
  return (
    <DataTable
      shape="stacks"
      label={panel.title}
      columns={columns.map(({ label, ...column }) =>
        columnClass({ label, ...column }, []) === 'number' ? { label, kind: 'number' } : label,
      )}
    >
      {data.data.map((record) => (
        <tr key={record.id}>
          {columns.map((column) => (
            <td key={column.name} className={columnClass(column, [])}>
              {cell(column, record)}
            </td>
          ))}
        </tr>
      ))}
    </DataTable>
  )
}

/** Types whose cells are larger than a line. */
const HIDDEN = new Set(['file', 'image', 'json'])

/** The column that leads to the record, which is in sight on a phone, too, and the first of the others. */
const withLink = (columns: readonly ListColumn[], link: ListColumn | undefined): readonly ListColumn[] =>
  [...(link === undefined ? [] : [link]), ...columns.filter((column) => column !== link)].slice(0, COLUMNS)
