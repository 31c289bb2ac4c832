import { Combobox as Base } from '@base-ui/react/combobox'
import { Check, ChevronDown, Search } from 'lucide-react'
import type { ReactNode } from 'react'
import { useText } from '../text/text.tsx'

/** Something to choose: a value and the text that stands for it. */
export interface Option {
  readonly value: string
  readonly label: string
  /** What tells it from another option of the same text. */
  readonly note?: string
}

interface ComboboxProps {
  /** Id of the button that opens the popup, for its label. */
  readonly id?: string | undefined
  /** Name of the button and the popup, where no label refers to the id. */
  readonly label?: string | undefined
  /** Ids of help and messages. */
  readonly describedBy?: string | undefined
  readonly isInvalid?: boolean
  readonly isDisabled?: boolean
  /** The options that match the search. */
  readonly options: readonly Option[]
  readonly search: string
  readonly onSearch: (search: string) => void
  /** True while options are being loaded. */
  readonly isLoading?: boolean
  /** Content of the button. */
  readonly children: ReactNode
  /** Shown below the options, such as an action that creates a record. */
  readonly footer?: ReactNode
  /** Opens and closes the popup; the combobox does so itself if it is undefined. */
  readonly isOpen?: boolean | undefined
  readonly onOpenChange?: (isOpen: boolean) => void
  /** Shown instead of the options when they could not be loaded. */
  readonly failure?: ReactNode
  /** Shown where there is no option. */
  readonly emptyText?: string
}

interface SingleProps extends ComboboxProps {
  readonly value: Option | null
  readonly onChange: (value: Option | null) => void
}

interface MultipleProps extends ComboboxProps {
  readonly value: readonly Option[]
  readonly onChange: (value: readonly Option[]) => void
}

const isSame = (one: Option, other: Option): boolean => one.value === other.value

/**
 * A button that opens a popup with a search and options, of which one can be chosen. The caller filters the options by the search.
 *
 * The input is within the popup: outside, it would hide the page from assistive technologies.
 */
export function Combobox({ value, onChange, ...props }: SingleProps) {
  return (
    <Base.Root<Option> value={value} onValueChange={onChange} {...sharedProps(props)}>
      <Parts {...props} />
    </Base.Root>
  )
}

/** As `Combobox`, for any number of values. The popup stays open while options are chosen; choosing one clears the search, for the next. */
export function MultiCombobox({ value, onChange, ...props }: MultipleProps) {
  return (
    <Base.Root<Option, true> multiple value={value as Option[]} onValueChange={(next) => onChange(next)} {...sharedProps(props)}>
      <Parts {...props} />
    </Base.Root>
  )
}

const sharedProps = ({ options, search, onSearch, isOpen, onOpenChange, isDisabled = false }: ComboboxProps) => ({
  items: options as Option[],
  isItemEqualToValue: isSame,
  autoHighlight: true,
  itemToStringLabel: ({ label }: Option) => label,
  filter: null,
  inputValue: search,
  onInputValueChange: onSearch,
  ...(isOpen === undefined ? {} : { open: isOpen }),
  onOpenChange: (open: boolean) => onOpenChange?.(open),
  disabled: isDisabled,
})

function Parts({ id, label, describedBy, isInvalid, isLoading = false, children, footer, failure, emptyText }: ComboboxProps) {
  const text = useText()
  return (
    <>
      <Base.Trigger
        id={id}
        className="input combobox-trigger"
        aria-label={label}
        aria-describedby={describedBy}
        aria-invalid={isInvalid || undefined}
      >
        <span className="combobox-value">{children}</span>
        <ChevronDown size={14} aria-hidden />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="start" className="positioner">
          <Base.Popup className="popup combobox" aria-label={label ?? text.common.options}>
            <div className="combobox-search">
              <Search size={14} aria-hidden />
              <Base.Input className="combobox-input" placeholder={text.common.search} aria-label={text.common.search} />
            </div>
            <Base.Status className="combobox-status">{isLoading ? text.common.loading : undefined}</Base.Status>
            <Base.Empty>
              {isLoading || failure !== undefined ? undefined : (
                <p className="combobox-empty">{emptyText ?? text.common.noMatches}</p>
              )}
            </Base.Empty>
            {failure}
            <Base.List className="combobox-list">
              {(option: Option) => (
                <Base.Item key={option.value} value={option} className="menu-item">
                  <span className="menu-icon">
                    <Base.ItemIndicator>
                      <Check size={14} aria-hidden />
                    </Base.ItemIndicator>
                  </span>
                  <span className="option-text">
                    {option.label}
                    {option.note !== undefined && <span className="option-note">{option.note}</span>}
                  </span>
                </Base.Item>
              )}
            </Base.List>
            {footer !== undefined && <div className="combobox-footer">{footer}</div>}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </>
  )
}
