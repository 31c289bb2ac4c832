import { Zap } from 'lucide-react'
import { useNarrow } from '../hooks.ts'
import { Button } from '../parts/button.tsx'
import { partOnUse } from '../parts/lazy-part.ts'
import { ActionIcon } from '../parts/model-icon.tsx'
import { useOfferedCommands } from '../parts/page-commands.ts'
import { LazyMenu } from '../parts/popups.tsx'
import { useText } from '../text/text.tsx'
import type { Offer } from './action-offers.ts'
import { type ActionTarget, useActing } from './use-acting.tsx'

const ActionMenu = partOnUse(() => import('./action-menu.tsx').then((module) => module.ActionMenu))

/** Number of actions that have buttons; more of them are a menu. */
const MAX_BUTTONS = 3

interface ActionBarProps extends ActionTarget {
  readonly offers: readonly Offer[]
  /** True if the palette offers the actions, too. */
  readonly isInPalette?: boolean
}

/** The buttons of actions; a menu where they are many, and on a phone. Nothing without an action. */
export function ActionBar({ offers, isInPalette = false, ...target }: ActionBarProps) {
  const text = useText().common
  const isNarrow = useNarrow()
  const { start, running, dialog } = useActing(target)
  useOfferedCommands(
    text.actions,
    isInPalette
      ? offers
          .filter(({ reason, isPending }) => reason === undefined && !isPending)
          .map(({ action }) => ({
            value: `action ${action.name}`,
            label: action.title,
            icon: <ActionIcon name={action.icon} />,
            run: () => start(action),
          }))
      : NOTHING,
  )
  if (offers.length === 0) return undefined
  const trigger = (
    <Button className="button-folding" icon={<Zap size={16} aria-hidden />} aria-busy={running !== undefined || undefined}>
      {text.actions}
    </Button>
  )
  return (
    <>
      {isNarrow || offers.length > MAX_BUTTONS ? (
        <LazyMenu trigger={trigger}>
          <ActionMenu trigger={trigger} offers={offers} onChoose={start} />
        </LazyMenu>
      ) : (
        offers.map(({ action, reason, isPending }) => {
          const isPossible = reason === undefined && !isPending
          return (
            <Button
              key={action.name}
              kind={action.tone === 'danger' ? 'danger' : 'plain'}
              icon={<ActionIcon name={action.icon} />}
              isBusy={running === action}
              aria-disabled={!isPossible || undefined}
              aria-label={reason && `${action.title}. ${reason}`}
              data-tooltip={reason && ''}
              onClick={isPossible ? () => start(action) : undefined}
            >
              {action.title}
            </Button>
          )
        })
      )}
      {dialog}
    </>
  )
}

const NOTHING = [] as const
