import type { ReactNode } from 'react'
import type { Imported } from '../../../client/client.ts'
import { useLocale } from '../../cells/use-locale.ts'
import { Notice } from '../../parts/notice.tsx'
import { useText } from '../../text/text.tsx'

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
