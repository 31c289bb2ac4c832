import { FileBraces, FileSpreadsheet, FileText } from 'lucide-react'
import type { ReactElement } from 'react'
import type { ExportFileFormat } from '../../client/client.ts'
import { FILE_FORMATS } from '../data/administration.ts'
import { Menu, MenuGroup, MenuItem, MenuSeparator } from '../parts/menu.tsx'
import { useText } from '../text/text.tsx'

/** A file to download: what the list shows, or the stored values of all fields. */
export interface ExportChoice {
  readonly format: ExportFileFormat
  readonly isShown: boolean
}

interface ExportChoicesProps {
  readonly trigger: ReactElement
  /** Number of records. */
  readonly count: number
  readonly onChoose: (choice: ExportChoice) => void
}

/** The files that an export can be: what the list shows, and the stored values. Open at first. */
export function ExportChoices({ trigger, count, onChoose }: ExportChoicesProps) {
  const text = useText().list
  return (
    <Menu trigger={trigger} isOpen>
      <MenuGroup label={text.exportShown(count)}>
        <MenuItem icon={<FileSpreadsheet size={16} aria-hidden />} onClick={() => onChoose({ format: 'xlsx', isShown: true })}>
          {text.exportExcel}
        </MenuItem>
        <MenuItem icon={<FileText size={16} aria-hidden />} onClick={() => onChoose({ format: 'csv', isShown: true })}>
          {text.exportCsv}
        </MenuItem>
      </MenuGroup>
      <MenuSeparator />
      <MenuGroup label={text.exportRaw}>
        {FILE_FORMATS.map(({ value: format, label }) => {
          const Icon = format === 'csv' ? FileText : FileBraces
          return (
            <MenuItem key={format} icon={<Icon size={16} aria-hidden />} onClick={() => onChoose({ format, isShown: false })}>
              {label}
            </MenuItem>
          )
        })}
      </MenuGroup>
    </Menu>
  )
}
