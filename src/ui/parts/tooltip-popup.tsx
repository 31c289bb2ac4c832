import { Tooltip as Base } from '@base-ui/react/tooltip'

interface TooltipPopupProps {
  /** The element that the text describes. */
  readonly anchor: Element
  readonly text: string
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** A text beside an element. */
export function TooltipPopup({ anchor, text, isOpen, onClose }: TooltipPopupProps) {
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Positioner anchor={anchor} sideOffset={6} className="positioner">
          <Base.Popup className="tooltip">{text}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
