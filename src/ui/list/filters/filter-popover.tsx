import type { ReactElement } from 'react'
import { lazyPart } from '../../parts/lazy/lazy-part.ts'
import { Popover } from '../../parts/popups/popover.tsx'
import type { PopoverTriggerProps } from '../../parts/popups/popover-props.ts'
import { Skeleton } from '../../parts/skeleton.tsx'
import type { FilterEditorProps } from './filter-editor.tsx'

const FilterEditor = lazyPart(() => import('./filter-editor.tsx').then((module) => module.FilterEditor))

interface FilterPopoverProps extends FilterEditorProps {
  readonly trigger: ReactElement<PopoverTriggerProps>
  readonly label: string
  readonly isOpen: boolean
  readonly onOpenChange: (isOpen: boolean) => void
}

/** The editor of a filter beside its button. It is loaded after the first list, of which the inputs of all types are no part. */
export const FilterPopover = ({ trigger, label, isOpen, onOpenChange, ...editor }: FilterPopoverProps) => (
  <Popover
    {...{ trigger, label, isOpen, onOpenChange }}
    fallback={
      <div className="filter-editor">
        <Skeleton lines={3} />
      </div>
    }
  >
    <FilterEditor {...editor} />
  </Popover>
)
