import { Popover as Base } from '@base-ui/react/popover'
import type { PopoverProps } from './popover-props.ts'

/** The loaded form of `Popover`. */
export function PopoverPopup({ trigger, label, children, isOpen, onOpenChange }: PopoverProps) {
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
