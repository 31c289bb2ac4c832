import { ChevronDown, ChevronUp } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useText } from '../text/text.tsx'

interface FoldProps {
  readonly short: ReactNode
  readonly long: ReactNode
  /** False if there is nothing to unfold. */
  readonly isLong: boolean
}

/** A long value, of which two lines are shown until it is unfolded. */
export function Fold({ short, long, isLong }: FoldProps) {
  const text = useText().cells
  const [isOpen, setOpen] = useState(false)
  if (!isLong) return short
  const Icon = isOpen ? ChevronUp : ChevronDown
  const label = isOpen ? text.fold : text.unfold
  return (
    <span className="cell-fold">
      {isOpen ? long : short}
      <button
        type="button"
        className="cell-button"
        aria-expanded={isOpen}
        aria-label={label}
        title={label}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon size={14} aria-hidden />
      </button>
    </span>
  )
}
