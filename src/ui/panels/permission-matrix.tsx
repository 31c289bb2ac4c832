import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { permissionsQuery } from '../data/administration.ts'
import { useSession } from '../data/page-session.ts'
import { useSite } from '../data/site.ts'
import { Failure } from '../parts/states.tsx'
import { DataTable } from '../parts/table.tsx'
import { useLaterText } from '../text/later.ts'
import { permissionRows, RECORD_ACTIONS } from './permission-rows.ts'

interface PermissionMatrixProps {
  /** Ids of the own permissions of the user or group. */
  readonly own: ReadonlySet<number>
  /** Names of the groups that give a user a permission, by its id. */
  readonly given: ReadonlyMap<number, readonly string[]>
  /** Called with all own permissions; undefined for a viewer who may not set them. */
  readonly onChange: ((own: readonly number[]) => void) | undefined
}

/** The permissions of a group or user as ticks: models in rows, actions in columns. Those that only groups give are grey and stay. */
export function PermissionMatrix({ own, given, onChange }: PermissionMatrixProps) {
  const text = useLaterText().users
  const { models } = useSite()
  const { data, error, refetch } = useQuery(permissionsQuery(useSession()))
  const { rows, others } = useMemo(() => permissionRows(models, data ?? []), [models, data])
  if (error !== null && data === undefined) return <Failure error={error} onRetry={() => void refetch()} />

  // The box of a whole row leaves what groups give as it is, too.
  const set = (ids: readonly number[], isOn: boolean) => {
    const kept = [...own].filter((id) => !ids.includes(id))
    onChange?.(isOn ? [...kept, ...ids.filter((id) => own.has(id) || !given.has(id))] : kept)
  }
  const ticks = { own, given, onChange: onChange && set }
  return (
    // The rows are known before their permissions, so that nothing moves when these arrive.
    <div className="stack" aria-busy={data === undefined}>
      <DataTable
        label={text.permissions}
        columns={[text.model, ...RECORD_ACTIONS.map((action) => text.actions[action])]}
        shape="matrix"
      >
        {rows.map(({ label, ids }) => (
          <tr key={label}>
            <th scope="row">
              <Tick {...ticks} ids={Object.values(ids).filter((id) => id !== undefined)} name={text.allOf(label)}>
                {label}
              </Tick>
            </th>
            {RECORD_ACTIONS.map((action) => {
              const id = ids[action]
              const name = text.permission(text.actions[action], label)
              return <td key={action}>{id !== undefined && <Tick {...ticks} ids={[id]} name={name} />}</td>
            })}
          </tr>
        ))}
      </DataTable>
      {others.length > 0 && (
        <fieldset className="checks">
          <legend className="field-label">{text.otherPermissions}</legend>
          <div className="options checks-options">
            {others.map(({ id, codename }) => (
              <Tick key={id} {...ticks} ids={[id]} name={codename}>
                {codename}
              </Tick>
            ))}
          </div>
        </fieldset>
      )}
    </div>
  )
}

interface TickProps extends Pick<PermissionMatrixProps, 'own' | 'given'> {
  /** The permission that the box stands for, or those of a row. */
  readonly ids: readonly number[]
  readonly name: string
  readonly onChange: ((ids: readonly number[], isOn: boolean) => void) | undefined
  /** The text beside the box. */
  readonly children?: string
}

/** The box of a permission, or of a whole row. Its name and tooltip say which groups give the permission. */
function Tick({ ids, name, own, given, onChange, children }: TickProps) {
  const text = useLaterText().users
  const [only = 0] = ids
  const groups = ids.length === 1 ? given.get(only) : undefined
  const isFixed = onChange === undefined || ids.every((id) => given.has(id) && !own.has(id))
  return (
    <label className={children === undefined ? 'tick' : 'option'}>
      <input
        type="checkbox"
        aria-label={groups === undefined ? name : text.givenBy(name, groups)}
        aria-disabled={isFixed || undefined}
        data-tooltip={groups && true}
        checked={ids.length > 0 && ids.every((id) => own.has(id) || given.has(id))}
        onChange={(event) => !isFixed && onChange(ids, event.target.checked)}
      />
      {children}
    </label>
  )
}
