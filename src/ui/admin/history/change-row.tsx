import type { HistoryChange } from '../../../client/client.ts'
import { useText } from '../../text/text.tsx'

const MAX_LENGTH = 200

/** A recorded value as text, cut where it is long. */
function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text
}

/** What a field was and is. */
export function ChangeRow({ name, change }: { readonly name: string; readonly change: HistoryChange }) {
  const text = useText().history
  const shown = (value: unknown) => (value === null ? <span className="muted">{text.empty}</span> : valueText(value))
  return (
    <tr>
      <th scope="row" className="mono">
        {name}
      </th>
      {change.secret === true ? (
        <td colSpan={2} className="muted">
          {text.secret}
        </td>
      ) : (
        <>
          <td className="wrap">{shown(change.before)}</td>
          <td className="wrap">{shown(change.after)}</td>
        </>
      )}
    </tr>
  )
}
