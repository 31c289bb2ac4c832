import { ArrowDown, ArrowUp, Columns3, Pin } from 'lucide-react'
import { Button, IconButton } from '../parts/button.tsx'
import { Popover } from '../parts/popups.tsx'
import { useText } from '../text/text.tsx'
import type { ListColumn } from './columns.ts'

export interface ColumnChooserProps {
  readonly all: readonly ListColumn[]
  readonly shown: readonly ListColumn[]
  readonly onChange: (names: readonly string[]) => void
  /** Names of the columns that stay in sight. */
  readonly pinned: readonly string[]
  readonly onPin: (names: readonly string[]) => void
  /** Returns to the columns of the list view; undefined if the list has them as they are. */
  readonly onReset: (() => void) | undefined
}

/** Chooses the columns of a list and their order. */
export function ColumnChooser({ all, shown, onChange, pinned, onPin, onReset }: ColumnChooserProps) {
  const text = useText().list
  const names = shown.map(({ name }) => name)
  const hidden = all.filter(({ name }) => !names.includes(name))
  const toggle = (name: string) => onChange(names.includes(name) ? names.filter((each) => each !== name) : [...names, name])
  const move = (place: number, by: -1 | 1) => {
    const moved = names.toSpliced(place, 1)
    onChange(moved.toSpliced(place + by, 0, names[place] ?? ''))
  }
  const pin = (name: string) => onPin(pinned.includes(name) ? pinned.filter((each) => each !== name) : [...pinned, name])
  return (
    <Popover
      trigger={<IconButton className="list-look" label={text.columns} icon={<Columns3 size={16} aria-hidden />} />}
      label={text.columns}
    >
      <ul className="column-list">
        {shown.map(({ name, label }, place) => (
          <li key={name}>
            <label>
              <input type="checkbox" checked disabled={shown.length === 1} onChange={() => toggle(name)} />
              {label}
            </label>
            <IconButton
              label={text.pin(label)}
              icon={<Pin size={14} aria-hidden />}
              aria-pressed={pinned.includes(name)}
              onClick={() => pin(name)}
            />
            <MoveButton label={text.moveUp(label)} isUp isDisabled={place === 0} onMove={() => move(place, -1)} />
            <MoveButton label={text.moveDown(label)} isDisabled={place === shown.length - 1} onMove={() => move(place, 1)} />
          </li>
        ))}
        {hidden.map(({ name, label }) => (
          <li key={name}>
            <label>
              <input type="checkbox" checked={false} onChange={() => toggle(name)} />
              {label}
            </label>
          </li>
        ))}
      </ul>
      {onReset !== undefined && (
        <Button kind="quiet" onClick={onReset}>
          {text.resetColumns}
        </Button>
      )}
    </Popover>
  )
}

interface MoveButtonProps {
  readonly label: string
  readonly isUp?: boolean
  readonly isDisabled: boolean
  readonly onMove: () => void
}

/** A button at the end of the list stays focusable, so that the focus is not lost. */
const MoveButton = ({ label, isUp = false, isDisabled, onMove }: MoveButtonProps) => {
  const Icon = isUp ? ArrowUp : ArrowDown
  return (
    <IconButton
      label={label}
      icon={<Icon size={14} aria-hidden />}
      aria-disabled={isDisabled || undefined}
      onClick={isDisabled ? undefined : onMove}
    />
  )
}
