import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { LoadFailure } from '../load-failure.ts'
import { Failure } from '../parts/states.tsx'
import { useText } from '../text/text.tsx'

/** Shown in place of a page that failed, so that the page is never blank and the menu stays usable. */
export function PageFailure({ error, reset }: ErrorComponentProps) {
  const text = useText()
  const router = useRouter()
  const queries = useQueryErrorResetBoundary()
  const retry = () => {
    if (error instanceof LoadFailure) error.forget()
    queries.reset()
    reset()
    void router.invalidate()
  }
  return (
    <>
      {!(error instanceof LoadFailure) && <p>{text.errors.crashed}</p>}
      <Failure error={error} onRetry={retry} />
    </>
  )
}

/** The same where the shell itself failed, for example since the site could not be read. */
export function FrameFailure(props: ErrorComponentProps) {
  return (
    <main className="page">
      <PageFailure {...props} />
    </main>
  )
}
