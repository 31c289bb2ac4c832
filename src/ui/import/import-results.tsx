import { Download } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { AdminError, Imported } from '../../client/client.ts'
import { fileNameOf, saveFile } from '../data/save-file.ts'
import { Button } from '../parts/button.tsx'
import { PageButtons } from '../parts/page-buttons.tsx'
import { Notice } from '../parts/states.tsx'
import { DataTable } from '../parts/table.tsx'
import { useLaterText } from '../text/later.ts'
import { useLocale, useText } from '../text/text.tsx'
import { csvFile, leftOutErrors, rowErrors } from './import-options.ts'

/** Says that a file is being checked or imported. The server reports no progress, so the bar shows none. */
export function ImportProgress({ isChecking, rows }: { readonly isChecking: boolean; readonly rows: number | undefined }) {
  const text = useLaterText().import
  const locale = useLocale()
  const label = isChecking ? text.checking : text.importing(rows ?? 0, (rows ?? 0).toLocaleString(locale))
  return (
    <div className="stack" role="status">
      <p>{label}</p>
      <progress className="progress" aria-label={label} />
    </div>
  )
}

/** What an import would do, or has done. */
export function ImportSummary({ result, children }: { readonly result: Imported; readonly children: ReactNode }) {
  const text = useLaterText().import
  const locale = useLocale()
  const { created, updated, total, ignored, dry_run } = result
  const number = (value: number) => value.toLocaleString(locale)
  return (
    <>
      <Notice kind="success" actions={children}>
        {dry_run ? text.clean : text.done}
      </Notice>
      <dl className="facts">
        <dt>{text.created}</dt>
        <dd>{number(created)}</dd>
        <dt>{text.updated}</dt>
        <dd>{number(updated)}</dd>
        <dt>{text.total}</dt>
        <dd>{number(total)}</dd>
      </dl>
      {ignored.length > 0 && <Notice kind="info">{text.ignored(ignored.join(', '))}</Notice>}
    </>
  )
}

const PAGE_SIZE = 50

interface ImportErrorsProps {
  /** With the titles of fields in its messages. */
  readonly error: AdminError
  /** The line where each record begins; empty where a file has no lines. */
  readonly lines: readonly number[]
  /** What the file calls a field: the header of its column. */
  readonly columnOf: (field: string) => string
  /** Name of the file, for the file of its errors. */
  readonly fileName: string
}

/** The errors of a file by row and column, with the line where the row begins. */
export function ImportErrors({ error, lines, columnOf, fileName }: ImportErrorsProps) {
  const text = useLaterText().import
  const { errors } = useText()
  const locale = useLocale()
  const [page, setPage] = useState(1)
  const all = rowErrors(error.fieldErrors)
  const leftOut = leftOutErrors(error.fieldErrors)
  const rows = new Set(all.map(({ row }) => row)).size
  const shown = all.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)
  const hasLines = lines.length > 0
  const cells = ({ row, column, messages }: (typeof all)[number]) => ({
    row,
    line: row === undefined ? undefined : lines[row - 1],
    column: column === undefined ? text.wholeRow : columnOf(column),
    message: messages.map(errors.fromServer).join('; '),
  })
  const save = () => {
    const head = [text.row, ...(hasLines ? [text.line] : []), text.column, text.message]
    const body = all.map(cells).map(({ row, line, column, message }) => {
      return [row ?? text.everyRow, ...(hasLines ? [line ?? ''] : []), column, message]
    })
    saveFile(new Blob([csvFile([head, ...body], locale)], { type: 'text/csv' }), fileNameOf(text.errorsName(fileName), 'csv'))
  }
  return (
    <section className="stack" aria-label={text.errorsTitle}>
      <Notice kind="error">{text.rejected(all.length + leftOut, rows)}</Notice>
      {leftOut > 0 && <Notice kind="info">{text.leftOutErrors(leftOut.toLocaleString(locale))}</Notice>}
      <div className="actions">
        <Button icon={<Download size={16} aria-hidden />} onClick={save}>
          {text.saveErrors}
        </Button>
      </div>
      <p className="muted">{hasLines ? text.rowsAndLines : text.rowsCount}</p>
      <DataTable
        label={text.errorsTitle}
        shape="stacks"
        columns={[
          { label: text.row, kind: 'number' },
          ...(hasLines ? [{ label: text.line, kind: 'number' } as const] : []),
          text.column,
          text.message,
        ]}
      >
        {shown.map(cells).map(({ row, line, column, message }) => (
          <tr key={`${row}.${column}`}>
            <td className="number" data-label={text.row}>
              {row?.toLocaleString(locale) ?? text.everyRow}
            </td>
            {hasLines && (
              <td className="number" data-label={text.line}>
                {line?.toLocaleString(locale)}
              </td>
            )}
            <td>{column}</td>
            <td className="wrap import-message">{message}</td>
          </tr>
        ))}
      </DataTable>
      <PageButtons
        page={{ page, page_size: PAGE_SIZE, total: all.length, total_pages: Math.ceil(all.length / PAGE_SIZE) }}
        onChange={setPage}
      />
    </section>
  )
}
