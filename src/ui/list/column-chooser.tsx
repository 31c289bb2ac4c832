import { Columns3 } from 'lucide-react'
import { IconButton } from '../parts/button.tsx'
import { lazyPart } from '../parts/lazy-part.ts'
import { Popover } from '../parts/popups.tsx'
import { Skeleton } from '../parts/states.tsx'
import { useText } from '../text/text.tsx'
import type { ColumnChooserProps } from './column-list.tsx'

const ColumnList = lazyPart(() => import('./column-list.tsx').then((module) => module.ColumnList))

/** Chooses the columns of a list and their order. */
export function ColumnChooser(columns: ColumnChooserProps) {
  const text = useText().list
  return (
    <Popover
      trigger={<IconButton className="list-look" label={text.columns} icon={<Columns3 size={16} aria-hidden />} />}
      label={text.columns}
      fallback={<Skeleton lines={8} />}
    >
      <ColumnList {...columns} />
    </Popover>
  )
}
