import type { ReactElement } from 'react'
import type { FileFormat } from '../../client/client.ts'
import { FILE_FORMATS } from '../data/administration.ts'
import { Menu, MenuItem } from '../parts/menu.tsx'
import { useText } from '../text/text.tsx'

interface ExportChoicesProps {
  readonly trigger: ReactElement
  /** Number of records. */
  readonly count: number
  readonly onChoose: (format: FileFormat) => void
}

/** The formats of an export. Open at first. */
export function ExportChoices({ trigger, count, onChoose }: ExportChoicesProps) {
  const text = useText()
  return (
    <Menu trigger={trigger} isOpen>
      {FILE_FORMATS.map(({ value: format, label }) => (
        <MenuItem key={format} onClick={() => onChoose(format)}>
          {text.list.exportAs(count, label)}
        </MenuItem>
      ))}
    </Menu>
  )
}
