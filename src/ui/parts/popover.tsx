import { Popover as Base } from '@base-ui/react/popover'
import type { ReactElement, ReactNode } from 'react'

interface PopoverProps {
  readonly trigger: ReactElement
  /** Name of the popup for assistive technologies. */
  readonly label: string
  readonly children: ReactNode
  readonly isOpen?: boolean
  readonly onOpenChange?: (isOpen: boolean) => void
}

/** A small area of controls that opens beside a button and is not modal. */
export function Popover({ trigger, label, children, isOpen, onOpenChange }: PopoverProps) {
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => onOpenChange?.(open)}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="start" className="positioner">
          <Base.Popup className="popup popover" aria-label={label}>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
