import '../styles/column-lists.css'
import { ArrowDown, ArrowUp, Pin } from 'lucide-react'
import { Button, IconButton } from '../parts/button.tsx'
import { passing } from '../parts/pass-focus.ts'
import { useLaterText } from '../text/later.ts'
import { useText } from '../text/text.tsx'
import type { ListColumn, Total } from './columns.ts'

/** Properties of the chooser of columns. */
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

/** Properties of the menu of totals. */
export interface TotalsMenuProps {
  readonly chosen: readonly Total[]
  readonly onChange: (chosen: readonly Total[]) => void
}

/** The columns of a list, to be shown, hidden, moved and pinned. */
export function ColumnList({ all, shown, onChange, pinned, onPin, onReset }: ColumnChooserProps) {
  const { columns: text } = useLaterText()
  const names = shown.map(({ name }) => name)
  const hidden = all.filter(({ name }) => !names.includes(name))
  // One list, so that a column keeps its element, and so the focus, when it is ticked.
  const listed = [...shown, ...hidden]
  const toggle = (name: string) => onChange(names.includes(name) ? names.filter((each) => each !== name) : [...names, name])
  const move = (place: number, by: -1 | 1) => {
    const moved = names.toSpliced(place, 1)
    onChange(moved.toSpliced(place + by, 0, names[place] ?? ''))
  }
  const pin = (name: string) => onPin(pinned.includes(name) ? pinned.filter((each) => each !== name) : [...pinned, name])
  return (
    <>
      <ul className="column-list">
        {listed.map(({ name, label }, place) => {
          const isShown = place < shown.length
          return (
            <li key={name}>
              <label>
                <input type="checkbox" checked={isShown} disabled={isShown && shown.length === 1} onChange={() => toggle(name)} />
                {label}
              </label>
              {isShown && (
                <>
                  <IconButton
                    label={text.pin(label)}
                    icon={<Pin size={14} aria-hidden />}
                    aria-pressed={pinned.includes(name)}
                    onClick={() => pin(name)}
                  />
                  <MoveButton label={text.moveUp(label)} isUp isDisabled={place === 0} onMove={() => move(place, -1)} />
                  <MoveButton
                    label={text.moveDown(label)}
                    isDisabled={place === shown.length - 1}
                    onMove={() => move(place, 1)}
                  />
                </>
              )}
            </li>
          )
        })}
      </ul>
      {onReset !== undefined && (
        <Button kind="quiet" onClick={passing(onReset)}>
          {text.reset}
        </Button>
      )}
    </>
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

const TOTALS = ['sum', 'avg'] as const

/** The totals that can stand below a list. */
export function TotalChoices({ chosen, onChange }: TotalsMenuProps) {
  const text = useText().list
  return (
    <ul className="column-list">
      {TOTALS.map((total) => (
        <li key={total}>
          <label>
            <input
              type="checkbox"
              checked={chosen.includes(total)}
              onChange={({ target }) =>
                onChange(TOTALS.filter((each) => (each === total ? target.checked : chosen.includes(each))))
              }
            />
            {text.totalNames[total]}
          </label>
        </li>
      ))}
    </ul>
  )
}
