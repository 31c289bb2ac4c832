import { Table } from '../../parts/table.tsx'
import { useText } from '../../text/text.tsx'
import { ACTIONS, type PermissionRow } from './permission-rows.ts'

interface PermissionTableProps {
  readonly rows: readonly PermissionRow[]
  readonly chosen: ReadonlySet<number>
  readonly onChange: (chosen: ReadonlySet<number>) => void
}

/** Checkboxes of permissions by model and action. The one before a model stands for its whole row. */
export function PermissionTable({ rows, chosen, onChange }: PermissionTableProps) {
  const text = useText().users
  const set = (ids: readonly number[], isOn: boolean) =>
    onChange(isOn ? new Set([...chosen, ...ids]) : new Set([...chosen].filter((id) => !ids.includes(id))))
  return (
    <Table label={text.permissions} columns={[text.model, ...ACTIONS.map((action) => text.actions[action])]} shape="matrix">
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
            {ACTIONS.map((action) => {
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
    </Table>
  )
}
