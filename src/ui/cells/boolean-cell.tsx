import { Check, X } from 'lucide-react'
import { useText } from '../text/text.tsx'

/** Yes or no, as a mark. */
export function BooleanCell({ value }: { readonly value: boolean }) {
  const text = useText().common
  const Icon = value ? Check : X
  return (
    <span className={value ? 'cell-boolean cell-true' : 'cell-boolean'}>
      <Icon size={16} aria-hidden />
      <span className="visually-hidden">{value ? text.yes : text.no}</span>
    </span>
  )
}
