import { type ComponentProps, lazy, Suspense } from 'react'
import { Skeleton } from '../../parts/skeleton.tsx'

const FilterEditor = lazy(() => import('./filter-editor.tsx').then((module) => ({ default: module.FilterEditor })))

/** The editor of a filter. It is loaded when it opens: the inputs of all types are no part of a list. */
export const LazyFilterEditor = (props: ComponentProps<typeof FilterEditor>) => (
  <Suspense
    fallback={
      <div className="filter-editor">
        <Skeleton lines={3} />
      </div>
    }
  >
    <FilterEditor {...props} />
  </Suspense>
)
