import { type ReactNode, useMemo, useState } from 'react'
import type { AdminError, FileFormat, Imported } from '../../client/client.ts'
import { PageButtons } from '../parts/page-buttons.tsx'
import { Notice } from '../parts/states.tsx'
import { DataTable } from '../parts/table.tsx'
import { useLocale, useText } from '../text/text.tsx'
import { linesOfRows, rowErrors } from './import-options.ts'

/** Says that a file is being checked or imported. The server reports no progress, so the bar shows none. */
export function ImportProgress({ isChecking, rows }: { readonly isChecking: boolean; readonly rows: number | undefined }) {
  const text = useText().import
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
  const text = useText().import
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
  readonly error: AdminError
  readonly format: FileFormat
  readonly content: Uint8Array
}

/** The errors of a file by row and column, with the line where the row begins. */
export function ImportErrors({ error, format, content }: ImportErrorsProps) {
  const { import: text, errors } = useText()
  const locale = useLocale()
  const [page, setPage] = useState(1)
  const all = rowErrors(error.fieldErrors)
  const rows = new Set(all.map(({ row }) => row)).size
  const shown = all.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)
  const lines = useMemo(() => linesOfRows(format, content), [format, content])
  const lineOf = (row: number | undefined) => (row === undefined ? undefined : lines[row - 1])
  const hasLines = lines.length > 0
  return (
    <section className="stack" aria-label={text.errorsTitle}>
      <Notice kind="error">{text.rejected(all.length, rows)}</Notice>
      <p className="muted">{hasLines ? text.rowsAndLines : text.rowsCount}</p>
      <DataTable
        label={text.errorsTitle}
        columns={[
          { label: text.row, kind: 'number' },
          ...(hasLines ? [{ label: text.line, kind: 'number' } as const] : []),
          text.column,
          text.message,
        ]}
      >
        {shown.map(({ row, column, messages }) => (
          <tr key={`${row}.${column}`}>
            <td className="number">{row?.toLocaleString(locale) ?? text.everyRow}</td>
            {hasLines && <td className="number">{lineOf(row)?.toLocaleString(locale)}</td>}
            <td className="mono">{column ?? text.wholeRow}</td>
            <td className="wrap">{messages.map(errors.fromServer).join('; ')}</td>
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
