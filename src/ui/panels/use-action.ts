import { type RefObject, useEffect, useRef, useState } from 'react'
import { AdminError, type Client, type FieldErrors } from '../../client/client.ts'
import { useSession } from '../data/page-session.ts'

/** A call of the API that a button starts. */
interface Action {
  readonly isBusy: boolean
  /** Why the last call failed; undefined if it did not. */
  readonly error: unknown
  /** Messages by field of the last call. */
  readonly fieldErrors: FieldErrors
  /** Runs calls; returns true if they succeeded. */
  readonly run: (work: (client: Client) => Promise<unknown>) => Promise<boolean>
  /** Forgets the error. */
  readonly clear: () => void
}

/** A call that needs no session, or is itself a login. */
interface Call extends Omit<Action, 'run'> {
  readonly run: (work: () => Promise<unknown>) => Promise<boolean>
}

/**
 * Runs calls of the API on behalf of a button or form, and keeps their state.
 *
 * @param titles the labels of the form's inputs, which messages show in place of the names of members
 */
export function useAction(titles?: Readonly<Record<string, string>>): Action {
  const session = useSession()
  const { run, ...call } = useCall(titles)
  return { ...call, run: (work) => run(() => session.run(work)) }
}

/** The same without the session of the page: nothing is repeated. */
export function useCall(titles: Readonly<Record<string, string>> = {}): Call {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const run: Call['run'] = async (work) => {
    setBusy(true)
    setError(undefined)
    try {
      await work()
      return true
    } catch (failure) {
      setError(failure)
      return false
    } finally {
      setBusy(false)
    }
  }
  const fieldErrors = error instanceof AdminError ? error.titled((name) => titles[name] ?? name).fieldErrors : {}
  return { isBusy, error, fieldErrors, run, clear: () => setError(undefined) }
}

/** Returns a ref for a form whose first input with a message gets the focus when a call has failed. @param error error of the last call */
export function useFaultFocus(error: unknown): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (error !== undefined) form.current?.querySelector<HTMLElement>('[data-invalid] input')?.focus()
  }, [error])
  return form
}
