import { Popover as Base } from '@base-ui/react/popover'
import { type RefObject, Suspense, useEffect, useRef } from 'react'
import type { PopoverProps } from './popover-props.ts'

const INPUT = ':is(input, select, textarea):not(:disabled)'

/** The loaded form of `Popover`. */
export function PopoverPopup({ trigger, label, children, fallback, isOpen, onOpenChange }: PopoverProps) {
  const popup = useRef<HTMLDivElement>(null)
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => onOpenChange?.(open)}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="start" className="positioner">
          <Base.Popup ref={popup} className="popup popover" aria-label={label}>
            <Suspense fallback={fallback}>
              {children}
              <FocusOnArrival popup={popup} />
            </Suspense>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

/** Moves the focus to the first input of contents that come after the popup, which has taken the focus itself until then. */
function FocusOnArrival({ popup }: { readonly popup: RefObject<HTMLDivElement | null> }) {
  useEffect(() => {
    if (document.activeElement === popup.current) popup.current?.querySelector<HTMLElement>(INPUT)?.focus()
  }, [popup])
  return null
}
