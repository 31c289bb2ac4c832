import { X } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { passing } from './pass-focus.ts'

/** Names of colours that views may give to values. Other names are shown without a colour. */
const COLORS = new Set(['gray', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'indigo', 'purple', 'pink', 'brown'])

interface ChipProps {
  readonly children: ReactNode
  readonly color?: string | undefined
  /** The text is a button, with the attributes for it. */
  readonly button?: ComponentProps<'button'> | undefined
  /** Shows a button that removes the value. */
  readonly onRemove?: (() => void) | undefined
  /** What the button does. */
  readonly removeLabel?: string
}

/** A short value in a frame. */
export function Chip({ children, color, button, onRemove, removeLabel }: ChipProps) {
  return (
    <span className="chip" data-color={color !== undefined && COLORS.has(color) ? color : undefined}>
      {button === undefined ? (
        <span className="chip-text">{children}</span>
      ) : (
        <button type="button" {...button} className="chip-text chip-button">
          {children}
        </button>
      )}
      {onRemove !== undefined && (
        <button type="button" className="chip-remove" aria-label={removeLabel} onClick={passing(onRemove)}>
          <X size={12} aria-hidden />
        </button>
      )}
    </span>
  )
}
