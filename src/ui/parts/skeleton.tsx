import { useText } from '../text/text.tsx'

/** Stands for content that is being loaded. @param lines number of lines to show */
export function Skeleton({ lines = 8 }: { readonly lines?: number }) {
  const text = useText()
  return (
    <div className="skeleton" role="status" aria-label={text.common.loading}>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} className="skeleton-line" />
      ))}
    </div>
  )
}
