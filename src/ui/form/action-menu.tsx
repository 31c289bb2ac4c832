import type { ReactElement } from 'react'
import type { SiteModelAction } from '../../client/client.ts'
import { Menu, MenuItem } from '../parts/menu.tsx'
import { ActionIcon } from '../parts/model-icon.tsx'
import type { Offer } from './action-offers.ts'

interface ActionMenuProps {
  readonly trigger: ReactElement
  readonly offers: readonly Offer[]
  readonly onChoose: (action: SiteModelAction) => void
}

/** Actions as a menu, with the reasons of those that are not possible. */
export const ActionMenu = ({ trigger, offers, onChoose }: ActionMenuProps) => (
  <Menu trigger={trigger} isOpen>
    {offers.map(({ action, reason, isPending }) => (
      <MenuItem
        key={action.name}
        icon={<ActionIcon name={action.icon} />}
        isDanger={action.tone === 'danger'}
        isDisabled={isPending || reason !== undefined}
        onClick={() => onChoose(action)}
      >
        <span className="option-text">
          {action.title}
          {reason !== undefined && <span className="option-note">{reason}</span>}
        </span>
      </MenuItem>
    ))}
  </Menu>
)
