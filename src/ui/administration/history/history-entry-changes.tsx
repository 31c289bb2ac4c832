import { useState } from 'react'
import type { HistoryEntry } from '../../../client/client.ts'
import { fieldOf, useModel } from '../../data/site.ts'
import { ChangesTable } from '../../form/versions/changes-table.tsx'
import { useText } from '../../text/text.tsx'

/** The changed fields of an entry; opens their old and new values. */
export function HistoryEntryChanges({ entry }: { readonly entry: HistoryEntry }) {
  const text = useText().history
  const model = useModel(entry.model)
  const [isOpen, setOpen] = useState(false)
  const names = Object.keys(entry.changes)
  if (names.length === 0) return <span className="muted">{text.noChanges}</span>
  const labels = names.map((name) => (model === undefined ? undefined : fieldOf(model, name)?.label) ?? name)
  return (
    <details className="changes" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{entry.action === 'update' ? labels.join(', ') : text.fields(names.length)}</summary>
      {/* Values of relations are asked for, so a folded entry does not render them. */}
      {isOpen && <ChangesTable entry={entry} model={model} />}
    </details>
  )
}
