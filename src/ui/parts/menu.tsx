import { Menu as Base } from '@base-ui/react/menu'
import { Check } from 'lucide-react'
import type { ReactElement, ReactNode } from 'react'

interface MenuProps {
  readonly trigger: ReactElement
  readonly children: ReactNode
  /** Opens at first. Default: false. */
  readonly isOpen?: boolean
}

/** A menu of actions behind a button. */
export function Menu({ trigger, children, isOpen = false }: MenuProps) {
  return (
    <Base.Root defaultOpen={isOpen}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="end" className="positioner">
          <Base.Popup className="popup menu">{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

interface MenuItemProps {
  readonly children: ReactNode
  readonly icon?: ReactNode
  readonly onClick?: () => void
  /** A link to render instead of a button. */
  readonly render?: ReactElement
  readonly isDanger?: boolean
  readonly isDisabled?: boolean
}

/** An action of a menu. */
export function MenuItem({ children, icon, onClick, render, isDanger = false, isDisabled = false }: MenuItemProps) {
  return (
    <Base.Item
      className={isDanger ? 'menu-item menu-item-danger' : 'menu-item'}
      onClick={onClick}
      disabled={isDisabled}
      render={render}
    >
      <span className="menu-icon">{icon}</span>
      {children}
    </Base.Item>
  )
}

interface MenuChoiceProps {
  readonly label: string
  readonly value: string
  readonly options: readonly {
    readonly value: string
    readonly label: string
    /** What is said of it, on a second line. */
    readonly note?: string | undefined
  }[]
  /** True if the menu closes with the choice. Default: false. */
  readonly isClosing?: boolean
  readonly onChange: (value: string) => void
}

/** A choice of one of some values within a menu. */
export function MenuChoice({ label, value, options, isClosing = false, onChange }: MenuChoiceProps) {
  return (
    <Base.Group>
      <Base.GroupLabel className="menu-label">{label}</Base.GroupLabel>
      <Base.RadioGroup value={value} onValueChange={onChange}>
        {options.map((option) => (
          <Base.RadioItem key={option.value} value={option.value} closeOnClick={isClosing} className="menu-item">
            <span className="menu-icon">
              <Base.RadioItemIndicator>
                <Check size={14} aria-hidden />
              </Base.RadioItemIndicator>
            </span>
            <span className="option-text">
              {option.label}
              {option.note !== undefined && <span className="option-note">{option.note}</span>}
            </span>
          </Base.RadioItem>
        ))}
      </Base.RadioGroup>
    </Base.Group>
  )
}

interface MenuGroupProps {
  readonly label: string
  readonly children: ReactNode
}

/** Actions of a menu under a title. */
export function MenuGroup({ label, children }: MenuGroupProps) {
  return (
    <Base.Group>
      <Base.GroupLabel className="menu-label">{label}</Base.GroupLabel>
      {children}
    </Base.Group>
  )
}

/** A line between groups of a menu. */
export const MenuSeparator = () => <Base.Separator className="menu-separator" />
