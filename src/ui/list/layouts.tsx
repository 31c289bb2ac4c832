import { CalendarDays, SquareKanban, Table2 } from 'lucide-react'
import { fieldOf } from '../data/site.ts'
import type { ListView } from '../data/views.ts'
import { IconButton } from '../parts/button.tsx'
import { lazyPart, partOnUse } from '../parts/lazy-part.ts'
import { Loaded } from '../parts/loaded.tsx'
import { Skeleton } from '../parts/states.tsx'
import { useLaterText } from '../text/later.ts'
import type { LayoutProps } from './layout-props.ts'
import { type ChangeList, type ListState, layoutOf } from './list-state.ts'

const Board = partOnUse(() => import('./board.tsx').then((module) => module.Board))

const CalendarView = partOnUse(() => import('./calendar-view.tsx').then((module) => module.CalendarView))

/** The code of drawers is loaded when the browser has time. */
const Drawers = lazyPart(() => import('../form/relation-drawers.tsx').then((module) => module.RelationDrawers))

/** The records of a list as the layout of its address, with the drawers of those that are opened. */
export function ListLayout(props: LayoutProps) {
  const { model, view, state } = props
  const layout = layoutOf(view, state)
  const board = layout === 'board' ? fieldOf(model, view.layout?.board ?? '') : undefined
  const start = layout === 'calendar' ? fieldOf(model, view.layout?.calendar?.start ?? '') : undefined
  return (
    <Loaded fallback={<Skeleton lines={12} />}>
      {board !== undefined && <Board key={view.name} {...props} field={board} />}
      {start !== undefined && <CalendarView key={view.name} {...props} start={start} />}
      <Loaded>
        <Drawers>{undefined}</Drawers>
      </Loaded>
    </Loaded>
  )
}

const ICONS = { table: Table2, board: SquareKanban, calendar: CalendarDays } as const

interface LayoutSwitchProps {
  readonly view: ListView
  readonly state: ListState
  readonly change: ChangeList
}

/** Switches between the table of a list and its layouts. The address has the choice. */
export function LayoutSwitch({ view, state, change }: LayoutSwitchProps) {
  const text = useLaterText().layouts
  const offered = Object.keys(view.layout ?? {}).filter((each) => each in ICONS) as (keyof typeof ICONS)[]
  const shown = layoutOf(view, state) ?? 'table'
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is of a form.
    <div className="layout-switch" role="group" aria-label={text.switch}>
      {(['table', ...offered] as const).map((each) => {
        const Icon = ICONS[each]
        return (
          <IconButton
            key={each}
            className="list-look"
            label={text.names[each]}
            icon={<Icon size={16} aria-hidden />}
            aria-pressed={each === shown}
            onClick={() => change({ layout: each === offered[0] ? undefined : each, at: undefined })}
          />
        )
      })}
    </div>
  )
}
