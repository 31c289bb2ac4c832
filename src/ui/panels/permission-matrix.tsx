import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { type Permission, permissionsQuery } from '../data/administration.ts'
import { useSession } from '../data/page-session.ts'
import { type AnyRecord, refreshModel } from '../data/records.ts'
import { useSite } from '../data/site.ts'
import { Failure, Notice, Skeleton } from '../parts/states.tsx'
import { DataTable } from '../parts/table.tsx'
import { useToasts } from '../parts/toast.tsx'
import { useText } from '../text/text.tsx'
import { Checks } from './checks.tsx'
import { SaveActions } from './confirm.tsx'
import { mergedIds, type PermissionRow, permissionIds, permissionRows, RECORD_ACTIONS } from './permission-rows.ts'
import { useAction } from './use-action.ts'

interface PermissionMatrixProps {
  readonly model: 'user' | 'group'
  /** The record with its `permissions`. */
  readonly record: AnyRecord
  /** Called after the record was changed. */
  readonly onSaved: () => void
}

/** The permissions of a group or user: models in rows, actions in columns. */
export function PermissionMatrix({ model, record, onSaved }: PermissionMatrixProps) {
  const text = useText().users
  const { data, error, refetch } = useQuery(permissionsQuery(useSession()))
  return (
    <section className="panel" aria-labelledby="permissions">
      <h2 id="permissions">{text.permissions}</h2>
      {model === 'user' && <p className="muted">{text.permissionsOfUser}</p>}
      {model === 'user' && record.is_superuser === true && <Notice kind="info">{text.superuser}</Notice>}
      {data === undefined && (error === null ? <Skeleton /> : <Failure error={error} onRetry={() => void refetch()} />)}
      {data !== undefined && (
        // Stored permissions that others have changed replace those that are shown.
        <Editor key={permissionIds(record.permissions).join()} {...{ model, record, onSaved }} permissions={data} />
      )}
    </section>
  )
}

function Editor({
  model,
  record,
  onSaved,
  permissions,
}: PermissionMatrixProps & { readonly permissions: readonly Permission[] }) {
  const { users: text } = useText()
  const { models } = useSite()
  const queries = useQueryClient()
  const toasts = useToasts()
  const { isBusy, error, run } = useAction()
  const before = useMemo(() => new Set(permissionIds(record.permissions)), [record.permissions])
  const [chosen, setChosen] = useState<ReadonlySet<number>>(before)
  const { rows, others } = useMemo(() => permissionRows(models, permissions), [models, permissions])
  const isChanged = chosen.size !== before.size || [...chosen].some((id) => !before.has(id))

  const save = async () => {
    const isDone = await run(async (client) => {
      const records = client.model(model)
      const { data, etag } = await records.read(record.id)
      const ids = mergedIds(permissionIds(data.permissions), before, chosen)
      await records.update(record.id, { permissions: ids }, { if_match: etag })
    })
    if (!isDone) return
    toasts.done(text.permissionsSaved)
    onSaved()
    await refreshModel(queries, model)
  }

  return (
    <>
      {error !== undefined && <Failure error={error} />}
      <PermissionTable rows={rows} chosen={chosen} onChange={setChosen} />
      {others.length > 0 && (
        <Checks
          label={text.otherPermissions}
          options={others.map(({ id, codename }) => ({ value: String(id), label: codename }))}
          chosen={[...chosen].map(String)}
          onChange={(ids) => setChosen(new Set(ids.map(Number)))}
        />
      )}
      <SaveActions
        label={text.savePermissions}
        onSave={() => void save()}
        onCancel={() => setChosen(before)}
        {...{ isBusy, isChanged }}
      />
    </>
  )
}

interface PermissionTableProps {
  readonly rows: readonly PermissionRow[]
  readonly chosen: ReadonlySet<number>
  readonly onChange: (chosen: ReadonlySet<number>) => void
}

/** Checkboxes of permissions by model and action. The one before a model stands for its whole row. */
function PermissionTable({ rows, chosen, onChange }: PermissionTableProps) {
  const text = useText().users
  const set = (ids: readonly number[], isOn: boolean) =>
    onChange(isOn ? new Set([...chosen, ...ids]) : new Set([...chosen].filter((id) => !ids.includes(id))))
  return (
    <DataTable
      label={text.permissions}
      columns={[text.model, ...RECORD_ACTIONS.map((action) => text.actions[action])]}
      shape="matrix"
    >
      {rows.map(({ label, ids }) => {
        const all = Object.values(ids).filter((id) => id !== undefined)
        return (
          <tr key={label}>
            <th scope="row">
              <label className="option">
                <input
                  type="checkbox"
                  aria-label={text.allOf(label)}
                  checked={all.every((id) => chosen.has(id))}
                  onChange={(event) => set(all, event.target.checked)}
                />
                {label}
              </label>
            </th>
            {RECORD_ACTIONS.map((action) => {
              const id = ids[action]
              return (
                <td key={action}>
                  {id !== undefined && (
                    <label className="tick">
                      <input
                        type="checkbox"
                        aria-label={text.permission(text.actions[action], label)}
                        checked={chosen.has(id)}
                        onChange={(event) => set([id], event.target.checked)}
                      />
                    </label>
                  )}
                </td>
              )
            })}
          </tr>
        )
      })}
    </DataTable>
  )
}
