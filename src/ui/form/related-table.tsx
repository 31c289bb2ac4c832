import '../styles/rows.css'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { type KeyboardEvent, useCallback, useEffect, useEffectEvent, useId, useMemo, useRef, useState } from 'react'
import type { RelatedRows, SiteField, SiteModel } from '../../client/client.ts'
import { Cell } from '../cells/cell.tsx'
import { isNumeric } from '../cells/choices.ts'
import { useSession } from '../data/page-session.ts'
import type { AnyRecord } from '../data/records.ts'
import { highestQuery, MAX_COPIED_ROWS, relationOf, rowsQuery, type StoredRow, type StoredRows } from '../data/row-query.ts'
import { fieldOf, may, useModel, useSite } from '../data/site.ts'
import { useNoun, useViews } from '../data/use-views.ts'
import { type FieldView, formModel } from '../data/views.ts'
import { Button } from '../parts/button.tsx'
import { lazyPart } from '../parts/lazy-part.ts'
import { LoadedPopup } from '../parts/loaded.tsx'
import { Skeleton } from '../parts/states.tsx'
import { useLaterText } from '../text/later.ts'
import { useLocale, useText } from '../text/text.tsx'
import { type RowAction, type RowColumn, TableRow } from './related-row.tsx'
import {
  changedDraft,
  isEditedInPlace,
  NEW,
  newDraft,
  orderedKeys,
  type RowForms,
  rowForms,
  rowValues,
  settableIn,
  untouched,
} from './row-forms.ts'
import { exactSum, movedRows, nextPosition } from './row-order.ts'
import { TableFailure } from './table-failure.tsx'
import { type FormRows, type RowDraft, type TableDraft, tableDraft } from './use-rows.ts'
import { copiedValues, type FormValues } from './values.ts'

const RowDrawer = lazyPart(() => import('./row-drawer.tsx').then((module) => module.RowDrawer))

/** A table of a form. */
export interface RelatedTableProps {
  readonly view: RelatedRows
  /** The model of the form. */
  readonly model: SiteModel
  /** The stored record; undefined for a new one. */
  readonly record: AnyRecord | undefined
  readonly rows: FormRows
}

/** A table of records that refer to the one in the form. Nothing for a model that the user may not view. */
export function RelatedTable(props: RelatedTableProps) {
  const { view, rows } = props
  const model = useModel(relationOf(view).key)
  const isShown = model !== undefined && may(model, 'view')
  const { change, copyOf } = rows
  useEffect(() => {
    if (!isShown && copyOf !== undefined) change(view.field, (former) => ({ ...former, isCopied: true }))
  }, [isShown, copyOf, change, view.field])
  return isShown ? <LoadedTable {...props} rowModel={model} /> : undefined
}

function LoadedTable({ view, record, rows, rowModel }: RelatedTableProps & { readonly rowModel: SiteModel }) {
  const site = useSite()
  const session = useSession()
  const views = useViews(rowModel.key)
  // A copy has all rows, not only those that the form of the other record shows.
  const asked = record === undefined ? { ...view, limit: MAX_COPIED_ROWS } : view
  const stored = useQuery(rowsQuery(session, site, rowModel, asked, record?.id ?? rows.copyOf))
  const failed = [views, stored].find(({ error, data }) => error !== null && data === undefined)
  if (failed?.error) {
    return <TableFailure field={view.field} rows={rows} error={failed.error} onRetry={() => void failed.refetch()} />
  }
  if (views.data === undefined || ((record !== undefined || rows.copyOf !== undefined) && stored.data === undefined))
    return <Skeleton lines={4} />
  const forms = rowForms(view, rowModel, views.data, site.user.is_superuser)
  const form = forms.update ?? forms.create ?? views.data.forms[0]
  const model = form === undefined ? rowModel : formModel(rowModel, form)
  return <Table forms={{ ...forms, model }} {...{ view, record, rows }} stored={stored.data} />
}

const NO_ROWS: readonly StoredRow[] = []

interface TableProps extends Omit<RelatedTableProps, 'model'> {
  readonly forms: RowForms
  /** The rows of the record, or of the one that is copied. */
  readonly stored: StoredRows | undefined
}

/** The columns of a table: the fields of the view that the model has. */
function columnsOf({ view, model, create, update }: RowForms): readonly RowColumn[] {
  return view.columns.flatMap((name): RowColumn[] => {
    const field = fieldOf(model, name)
    if (field === undefined) return []
    const inForm = [update, create]
      .map((form) => form?.fields.find((each) => each.name === name))
      .find((each) => each !== undefined)
    return [{ name, field, label: inForm?.title ?? field.label, view: inForm === undefined ? undefined : narrow(inForm) }]
  })
}

/** The view of a field in a cell: what takes several lines in a form is a list that opens. */
const narrow = (view: FieldView): FieldView => (view.widget === 'radio' ? { ...view, widget: 'select' } : view)

/** Makes keys of new rows. */
let made = 0
const newKey = (): string => `${NEW}${++made}`

function Table({ forms: given, view, record, rows, stored }: TableProps) {
  const text = useText()
  const later = useLaterText().rows
  const session = useSession()
  const noun = useNoun()
  const locale = useLocale()
  const { user } = useSite()
  const headId = useId()
  const element = useRef<HTMLElement>(null)
  // The forms are the same until the views are loaded again.
  const { create, update, model: rowModel } = given
  const forms = useMemo(() => given, [view, create, update, rowModel.key])
  const columns = useMemo(() => columnsOf(forms), [forms])
  const { field } = view
  const { change, activate, active, copyOf } = rows
  const table = tableDraft(rows, field)
  const known = record === undefined ? NO_ROWS : (stored?.rows ?? NO_ROWS)
  const byKey = useMemo(() => new Map(known.map((row) => [String(row.record.id), row])), [known])
  const shown = orderedKeys(known, table).flatMap((key): ShownRow[] => {
    const own = byKey.get(key)
    const draft = table.rows.get(key) ?? (own && untouched(own))
    if (draft === undefined) return []
    return [{ key, draft, latest: own, values: rowValues(draft) }]
  })
  const left = shown.filter(({ draft }) => !draft.isRemoved)
  const [openKey, setOpenKey] = useState<string>()
  /** The key by which React knows a row: a new one keeps its own when it is stored, and so the focus. */
  const mountKey = (key: string) => table.formerKeys?.get(key) ?? key
  const activeKey = active?.field === field ? shown.find(({ key }) => mountKey(key) === mountKey(active.key))?.key : undefined
  const [current, setCurrent] = useState<string>()
  const tabKey = shown.some(({ key }) => key === (activeKey ?? current)) ? (activeKey ?? current) : shown[0]?.key

  const total = stored?.total ?? 0
  const read = stored?.rows.length ?? 0
  const hasUnshown = record !== undefined && total > read
  const { position: placed = '' } = forms
  const asked = hasUnshown && fieldOf(rowModel, placed)?.sortable === true ? record.id : undefined
  const highest = useQuery(highestQuery(session, rowModel, view, placed, asked))

  const isFrozen =
    may(rowModel, 'change') && known.length > 0 && known.every(({ can }) => !can.includes('change') && !can.includes('delete'))
  const canAdd = may(rowModel, 'add') && create !== undefined && !isFrozen
  const title = view.title ?? rowModel.label
  const inPlace = columns.filter((column) => isEditedInPlace(forms, column.field, column.view)).map(({ name }) => name)
  const hasMore = (draft: RowDraft) => settableIn(forms, draft).some((name) => !inPlace.includes(name))
  const needsMore = forms.creatable.some((name) => {
    const isRequired = fieldOf(rowModel, name)?.required || create?.fields.some((each) => each.name === name && each.required)
    return isRequired && !inPlace.includes(name) && name !== forms.position
  })

  // The rows of the record that is copied become new ones.
  const copy = useEffectEvent(() => {
    if (copyOf === undefined || record !== undefined || table.isCopied || stored === undefined) return
    const copies = stored.rows.map(({ record: row }): [string, RowDraft] => {
      const values = Object.entries(copiedValues(rowModel, row)).filter(([name]) => forms.creatable.includes(name))
      return [newKey(), newDraft(forms, user.id, {}, Object.fromEntries(values))]
    })
    change(field, (former) => ({ ...former, isCopied: true, rows: new Map([...former.rows, ...copies]) }))
  })
  useEffect(() => copy(), [stored])

  const setRow = useCallback(
    (key: string, base: StoredRow | undefined, next: (former: RowDraft) => Partial<RowDraft>) =>
      change(field, (former) => {
        const draft = former.rows.get(key) ?? (base && untouched(base))
        if (draft === undefined) return former
        return { ...former, rows: new Map(former.rows).set(key, changedDraft(forms, draft, next(draft))) }
      }),
    [change, field, forms],
  )
  const forgetRow = useCallback(
    (key: string) =>
      change(field, (former) => {
        const rest = new Map(former.rows)
        rest.delete(key)
        return { ...former, rows: rest }
      }),
    [change, field],
  )
  const addRow = () => {
    const { position } = forms
    const start: FormValues = position === undefined ? {} : { [position]: nextPosition(left, position, highest.data) }
    const key = newKey()
    change(field, (former) => ({ ...former, rows: new Map(former.rows).set(key, newDraft(forms, user.id, start)) }))
    if (needsMore) setOpenKey(key)
    // The position of a new row is known; the next column is to be filled in.
    else activate({ field, key, column: inPlace.find((name) => name !== position) ?? inPlace[0] })
  }
  const moveRow = (key: string, step: 1 | -1) => {
    const { position } = forms
    const moved = position === undefined ? undefined : movedRows(left, key, step, position)
    if (moved === undefined || position === undefined) return
    if (
      [...moved.positions.keys()].some(
        (each) =>
          !canSet(
            shown.find((row) => row.key === each),
            position,
          ),
      )
    )
      return
    // Removed rows stay where they are.
    const next = [...moved.order]
    const order = shown.map((row) => (row.draft.isRemoved ? row.key : (next.shift() ?? row.key)))
    change(field, (former) => withPositions(forms, former, { ...moved, order }, byKey))
  }
  const canSet = (row: ShownRow | undefined, name: string) => row !== undefined && settableIn(forms, row.draft).includes(name)
  const canMove = forms.position !== undefined && left.every((row) => canSet(row, forms.position ?? ''))

  const focusRow = (key: string | undefined, button = 'edit') => {
    setCurrent(key)
    requestAnimationFrame(() => {
      const row = element.current?.querySelector(`[data-row="${CSS.escape(key ?? '')}"]`)
      const target = row?.querySelector<HTMLElement>(`[data-do=${button}]`) ?? row?.querySelector<HTMLElement>('button')
      const add = element.current?.querySelector<HTMLElement>('.rows-add')
      ;(target ?? add)?.focus()
    })
  }
  const onRow = (key: string, action: RowAction) => {
    const at = shown.findIndex((row) => row.key === key)
    const row = shown[at]
    if (row === undefined) return
    const base = byKey.get(key)
    switch (action.kind) {
      case 'edit': {
        const column = action.column !== undefined && inPlace.includes(action.column) ? action.column : undefined
        const first = inPlace.find((name) => settableIn(forms, row.draft).includes(name))
        if (first === undefined) setOpenKey(key)
        else activate({ field, key, column: column ?? first })
        return
      }
      case 'set':
        setRow(key, base, (former) => ({
          edits: { ...former.edits, [action.name]: action.value },
          errors: without(former.errors, action.name),
        }))
        return
      case 'remove':
        if (row.draft.base === undefined) forgetRow(key)
        else setRow(key, base, () => ({ isRemoved: true, edits: {}, errors: {} }))
        if (activeKey === key) activate(undefined)
        if (row.draft.base === undefined) focusRow((shown[at + 1] ?? shown[at - 1])?.key)
        else focusRow(key, 'keep')
        return
      case 'keep':
        forgetRow(key)
        // A row that was deleted elsewhere goes away.
        focusRow(base === undefined ? (shown[at + 1] ?? shown[at - 1])?.key : key)
        return
      case 'mine':
        if (base === undefined) forgetRow(key)
        else setRow(key, base, () => ({ base, errors: {} }))
        focusRow(key)
        return
      case 'open':
        setOpenKey(key)
        return
      case 'close':
        activate(undefined)
        focusRow(key)
        return
      case 'move':
        moveRow(key, action.step)
        return
      case 'go': {
        const next = shown[at + action.step]
        if (action.column === undefined) {
          if (next !== undefined) focusRow(next.key, action.button)
        } else if (next !== undefined && !next.draft.isRemoved && settableIn(forms, next.draft).length > 0)
          activate({ field, key: next.key, column: action.column })
        else if (next === undefined && canAdd && action.step === 1) addRow()
        return
      }
    }
  }
  // Rows get the same function always, so that only those that change are rendered again.
  const latest = useRef(onRow)
  useEffect(() => {
    latest.current = onRow
  })
  const act = useCallback((key: string, action: RowAction) => latest.current(key, action), [])

  const sums = columns.map((column) =>
    isNumeric(column.field) && column.name !== forms.position && column.field.type !== 'primarykey'
      ? exactSum(left.map(({ values }) => values[column.name]))
      : undefined,
  )
  const hasSums = left.length > 0 && sums.some((sum) => sum !== undefined)
  const opened = shown.find(({ key }) => key === openKey)
  const onAddKey = (event: KeyboardEvent) => {
    if (event.key === 'ArrowUp' && shown.length > 0) {
      event.preventDefault()
      focusRow(shown.at(-1)?.key)
    }
  }
  return (
    <section ref={element} className="rows" aria-labelledby={headId} data-related={field}>
      <h2 id={headId} className="rows-title">
        {title}
        {shown.length > 0 && <span className="rows-count">{left.length.toLocaleString(locale)}</span>}
      </h2>
      {shown.length > 0 && (
        <div className="rows-scroll">
          <table className="rows-table">
            <thead>
              <tr>
                {columns.map(({ name, label, field: column }) => (
                  <th key={name} scope="col" className={isNumeric(column) ? 'number' : undefined}>
                    {label}
                  </th>
                ))}
                <th scope="col">
                  <span className="visually-hidden">{later.actions}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map(({ key, draft, latest }, index) => (
                <TableRow
                  key={mountKey(key)}
                  {...{ forms, columns, draft, act }}
                  rowKey={key}
                  number={index + 1}
                  column={activeKey === key ? (active?.column ?? '') : undefined}
                  focus={activeKey === key ? active : undefined}
                  state={draft.base === undefined ? 'new' : stateOf(draft, latest)}
                  isInPlace={inPlace.length > 0}
                  hasMore={hasMore(draft)}
                  canMove={canMove}
                  isCurrent={key === tabKey}
                  canDelete={draft.base?.can.includes('delete') ?? true}
                />
              ))}
            </tbody>
            {hasSums && (
              <tfoot>
                <tr>
                  {columns.map(({ name, field: column, view: shownAs, label }, index) => (
                    <SumCell
                      key={name}
                      {...{ field: column, view: shownAs, label }}
                      sum={sums[index]}
                      isFirst={index === 0}
                      isPart={hasUnshown}
                    />
                  ))}
                  <td />
                </tr>
              </tfoot>
            )}
          </table>
        </div>
      )}
      {shown.length === 0 && <p className="rows-empty">{later.none}</p>}
      {total > read && (
        <p className="rows-more">
          {(record === undefined ? later.copied : later.more)(read.toLocaleString(locale), total.toLocaleString(locale))}{' '}
          <Link
            to="/models/$model"
            params={{ model: rowModel.key }}
            search={{ filter: `${forms.relation}=${record?.id ?? copyOf}` }}
          >
            {later.all}
          </Link>
        </p>
      )}
      {canAdd && (
        <Button
          className="rows-add"
          icon={<Plus size={16} aria-hidden />}
          isBusy={highest.isLoading}
          onClick={addRow}
          onKeyDown={onAddKey}
        >
          {text.list.addOne(noun(rowModel))}
        </Button>
      )}
      {opened !== undefined && (
        <LoadedPopup onFail={() => setOpenKey(undefined)}>
          <RowDrawer
            key={opened.key}
            forms={forms}
            draft={opened.draft}
            title={
              opened.draft.base === undefined
                ? text.form.createTitle(noun(rowModel))
                : later.row(noun(rowModel), shown.indexOf(opened) + 1)
            }
            onApply={(edits) => {
              setRow(opened.key, byKey.get(opened.key), () => ({ edits, errors: {} }))
              setOpenKey(undefined)
            }}
            onClose={() => {
              const { draft, key } = opened
              setOpenKey(undefined)
              if (draft.base === undefined && needsMore && Object.keys(draft.edits).length === 0) forgetRow(key)
            }}
          />
        </LoadedPopup>
      )}
    </section>
  )
}

/** A row with its values as the user sees them. */
interface ShownRow {
  readonly key: string
  readonly draft: RowDraft
  /** The row as it is stored now; undefined for a new one, and for one that was deleted elsewhere. */
  readonly latest: StoredRow | undefined
  readonly values: FormValues
}

/** Whether others have changed or deleted a row that has edits. */
function stateOf(draft: RowDraft, latest: StoredRow | undefined): 'stored' | 'changed' | 'gone' {
  if (latest === undefined) return 'gone'
  return draft.base?.etag === latest.etag || !draft.isChanged ? 'stored' : 'changed'
}

const without = (errors: RowDraft['errors'], name: string): RowDraft['errors'] =>
  Object.fromEntries(Object.entries(errors).filter(([each]) => each !== name && each !== ''))

/** The drafts after rows have got new positions. */
function withPositions(
  forms: RowForms,
  former: TableDraft,
  { order, positions }: NonNullable<ReturnType<typeof movedRows>>,
  byKey: ReadonlyMap<string, StoredRow>,
): TableDraft {
  const rows = new Map(former.rows)
  for (const [key, position] of positions) {
    const base = byKey.get(key)
    const draft = rows.get(key) ?? (base && untouched(base))
    if (draft === undefined || forms.position === undefined) continue
    // A new row in which nothing was typed stays one.
    const isBlank = draft.base === undefined && !draft.isChanged
    const change = isBlank
      ? { start: { ...draft.start, [forms.position]: position } }
      : { edits: { ...draft.edits, [forms.position]: position } }
    rows.set(key, changedDraft(forms, draft, change))
  }
  return { ...former, rows, order }
}

interface SumCellProps {
  readonly field: SiteField
  readonly view: FieldView | undefined
  readonly label: string
  readonly sum: string | undefined
  readonly isFirst: boolean
  /** True if there are rows that the table does not show. */
  readonly isPart: boolean
}

/** The sum of a column; the first cell says what the row is, if it has none. */
function SumCell({ field, view, label, sum, isFirst, isPart }: SumCellProps) {
  const { sum: whole, sumShown } = useLaterText().rows
  const name = isPart ? sumShown : whole
  if (sum === undefined) return <td>{isFirst && <span className="rows-sum-name">{name}</span>}</td>
  return (
    <td className="number" data-label={label}>
      <Cell field={field} view={view} value={sum} />
    </td>
  )
}
