import { X } from 'lucide-react'
import type { ReactNode } from 'react'

/** Names of colours that views may give to values. Other names are shown without a colour. */
const COLORS = new Set(['gray', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'indigo', 'purple', 'pink', 'brown'])

interface ChipProps {
  readonly children: ReactNode
  readonly color?: string | undefined
  /** Shows a button that removes the value. */
  readonly onRemove?: (() => void) | undefined
  /** What the button does. */
  readonly removeLabel?: string
}

/** A short value in a frame. */
export function Chip({ children, color, onRemove, removeLabel }: ChipProps) {
  return (
    <span className="chip" data-color={color !== undefined && COLORS.has(color) ? color : undefined}>
      <span className="chip-text">{children}</span>
      {onRemove !== undefined && (
        <button type="button" className="chip-remove" aria-label={removeLabel} onClick={onRemove}>
          <X size={12} aria-hidden />
        </button>
      )}
    </span>
  )
}
