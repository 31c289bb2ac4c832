import { Popover as Base } from '@base-ui/react/popover'
import { type ReactElement, type ReactNode, type RefObject, useEffect, useRef } from 'react'
import { Loaded } from './loaded.tsx'

const INPUT = ':is(input, select, textarea):not(:disabled)'

/** The loaded form of `Popover`. */
export function PopoverPopup(props: PopoverProps) {
  const { trigger, label, children, fallback, isOpen, onOpenChange, focusOn, align = 'start' } = props
  const popup = useRef<HTMLDivElement>(null)
  const firstFocus = () => (focusOn === undefined ? true : (popup.current?.querySelector<HTMLElement>(focusOn) ?? true))
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => onOpenChange?.(open)}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align={align} className="positioner">
          <Base.Popup ref={popup} initialFocus={firstFocus} className="popup popover" aria-label={label}>
            <Loaded fallback={fallback}>
              {children}
              <FocusOnArrival popup={popup} target={focusOn ?? INPUT} />
            </Loaded>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

interface FocusOnArrivalProps {
  readonly popup: RefObject<HTMLDivElement | null>
  /** Selects the element that gets the focus. */
  readonly target: string
}

/** Moves the focus to the first input of contents that come after the popup, which has taken the focus itself until then. */
function FocusOnArrival({ popup, target }: FocusOnArrivalProps) {
  useEffect(() => {
    if (document.activeElement === popup.current) popup.current?.querySelector<HTMLElement>(target)?.focus()
  }, [popup, target])
  return null
}

/** What opens a popover. */
export interface PopoverTriggerProps {
  readonly onClick?: (() => void) | undefined
  readonly 'aria-haspopup'?: 'dialog'
  readonly 'aria-expanded'?: boolean
}

/** Properties of a popover. */
export interface PopoverProps {
  readonly trigger: ReactElement<PopoverTriggerProps>
  /** Name of the popup for assistive technologies. */
  readonly label: string
  readonly children: ReactNode
  /** Shown while the code of the contents is loaded; the first input then gets the focus. */
  readonly fallback?: ReactNode
  /** Default: the trigger decides. */
  readonly isOpen?: boolean
  readonly onOpenChange?: (isOpen: boolean) => void
  /** Selects the element that gets the focus when the popup opens. Default: the first control. */
  readonly focusOn?: string
  /** The edge of the trigger that the popup is aligned with. Default: `start`. */
  readonly align?: 'start' | 'end'
}
