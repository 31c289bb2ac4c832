import { ChevronDown } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { lazyPart } from './lazy-part.ts'
import { LoadedPopup } from './loaded.tsx'
import type { SelectProps } from './select-popup.tsx'

const SelectPopup = lazyPart(() => import('./select-popup.tsx').then((module) => module.SelectPopup))

/** Keys that open a closed list, besides those that press a button. */
const OPENING_KEYS = new Set(['ArrowDown', 'ArrowUp', 'Home', 'End'])

/** Chooses one of some options. Until it opens for the first time it is a button alone, whose list is loaded later. */
export function Select(props: SelectProps) {
  const [isWanted, setWanted] = useState(false)
  const { links, value, options, placeholder, isDisabled = false } = props
  const onKeyDown = (event: KeyboardEvent) => {
    const isLetter = event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey && !event.altKey
    if (!isLetter && !OPENING_KEYS.has(event.key)) return
    event.preventDefault()
    setWanted(true)
  }
  const shown = <SelectedText value={value} options={options} placeholder={placeholder} />
  const closed = (
    <button
      {...links}
      type="button"
      role="combobox"
      aria-haspopup="listbox"
      aria-expanded={false}
      className="input select"
      disabled={isDisabled}
      onClick={() => setWanted(true)}
      onKeyDown={onKeyDown}
    >
      {shown}
    </button>
  )
  return isWanted ? (
    <LoadedPopup fallback={closed} onFail={() => setWanted(false)}>
      <SelectPopup {...props}>{shown}</SelectPopup>
    </LoadedPopup>
  ) : (
    closed
  )
}

/** The label of the chosen option, or the placeholder, with a sign that there are others. */
function SelectedText({ value, options, placeholder }: Pick<SelectProps, 'value' | 'options' | 'placeholder'>) {
  // A placeholder stands for the option of no value; without one this option is shown as the others are.
  const chosen = value === '' && placeholder !== undefined ? undefined : options.find((option) => option.value === value)
  return (
    <>
      <span className={chosen === undefined ? 'select-text placeholder' : 'select-text'}>
        {chosen?.label ?? placeholder ?? '—'}
      </span>
      <ChevronDown size={14} aria-hidden />
    </>
  )
}
