import { lazy, Suspense } from 'react'
import type { AnyRecord } from '../data/records.ts'
import { useSite } from '../data/site.ts'

const UserPanel = lazy(() => import('./user-panel.tsx').then(({ UserPanel }) => ({ default: UserPanel })))
const PermissionMatrix = lazy(() =>
  import('./permission-matrix.tsx').then(({ PermissionMatrix }) => ({ default: PermissionMatrix })),
)

interface RecordPanelsProps {
  /** Key of the record's model. */
  readonly model: string
  readonly record: AnyRecord
  /** Called after a panel has changed the record. */
  readonly onSaved: () => void
}

/** What superusers may do with a user or a group beside its form; nothing for other models. */
export function RecordPanels({ model, record, onSaved }: RecordPanelsProps) {
  const { user } = useSite()
  if (!user.is_superuser || (model !== 'user' && model !== 'group')) return null
  return (
    <Suspense>
      {model === 'user' && <UserPanel {...{ record, onSaved }} />}
      <PermissionMatrix {...{ model, record, onSaved }} />
    </Suspense>
  )
}
