import { Failure } from '../parts/failure.tsx'
import { useText } from '../text/text.tsx'

/** Shown in place of a page that failed, so that the page is never blank. */
export function PageFailure({ error, reset }: { readonly error: unknown; readonly reset: () => void }) {
  const text = useText()
  return (
    <main className="page">
      <p>{text.errors.crashed}</p>
      <Failure error={error} onRetry={reset} />
    </main>
  )
}
