import { Ellipsis } from 'lucide-react'
import { IconButton } from '../parts/button.tsx'
import { Chip } from '../parts/chip.tsx'
import { Menu, MenuGroup, MenuItem } from '../parts/menu.tsx'
import { useLaterText } from '../text/later.ts'

interface CardMenuProps {
  /** What the button does. */
  readonly label: string
  readonly targets: readonly { readonly key: string; readonly label: string; readonly color: string | undefined }[]
  readonly onMove: (key: string) => void
}

/** The columns that a card can be moved to. */
export function CardMenu({ label, targets, onMove }: CardMenuProps) {
  const text = useLaterText().layouts
  return (
    <Menu isOpen trigger={<IconButton className="board-menu" label={label} icon={<Ellipsis size={16} aria-hidden />} />}>
      <MenuGroup label={text.moveTo}>
        {targets.map(({ key, label: name, color }) => (
          <MenuItem key={key} onClick={() => onMove(key)}>
            <Chip color={color}>{name}</Chip>
          </MenuItem>
        ))}
      </MenuGroup>
    </Menu>
  )
}
