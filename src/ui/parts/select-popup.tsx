import { Select as Base } from '@base-ui/react/select'
import { Check } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'

/** Properties of a select. */
export interface SelectProps {
  /** Attributes that connect the select with its label, help and messages. */
  readonly links: {
    readonly id?: string
    readonly 'aria-label'?: string
    readonly 'aria-describedby'?: string | undefined
    readonly 'aria-invalid'?: true | undefined
    readonly 'aria-required'?: true | undefined
  }
  /** The value of an option; empty for none. */
  readonly value: string
  readonly options: readonly { readonly value: string; readonly label: string }[]
  readonly onChange: (value: string) => void
  /** Shown while nothing is chosen. */
  readonly placeholder?: string | undefined
  readonly isDisabled?: boolean
}

/** The loaded form of `Select`, which opens at once. Its button shows the children. */
export function SelectPopup(props: SelectProps & { readonly children: ReactNode }) {
  const { links, value, options, onChange, isDisabled = false, children } = props
  const trigger = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    // The button that was pressed has gone: this one stands for it, and gets the focus back.
    trigger.current?.focus()
    setOpen(true)
  }, [])
  return (
    <Base.Root
      value={value}
      onValueChange={(next) => next !== null && onChange(next)}
      open={isOpen}
      onOpenChange={setOpen}
      modal={false}
      disabled={isDisabled}
    >
      <Base.Trigger {...links} ref={trigger} className="input select">
        {children}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="start" alignItemWithTrigger={false} className="positioner">
          <Base.Popup className="popup select-popup">
            <Base.List className="select-list">
              {options.map((option) => (
                <Base.Item key={option.value} value={option.value} className="menu-item">
                  <span className="menu-icon">
                    <Base.ItemIndicator>
                      <Check size={14} aria-hidden />
                    </Base.ItemIndicator>
                  </span>
                  <Base.ItemText>{option.label}</Base.ItemText>
                </Base.Item>
              ))}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
