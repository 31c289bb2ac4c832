import { AdminError } from '../../client/client.ts'
import { errorMessage } from '../parts/states.tsx'
import { useToasts } from '../parts/toast.tsx'
import { useText } from '../text/text.tsx'

/**
 * A function that says what was done, with Undo where that is possible. A change by others since then keeps it from being undone, and the
 * notice says so.
 */
export function useUndoNotice(): (message: string, undo: (() => Promise<unknown>) | undefined) => void {
  const text = useText()
  const toasts = useToasts()
  const failed = (error: unknown) => {
    const isChanged = error instanceof AdminError && error.type === 'precondition'
    toasts.failed(text.history.notUndone, isChanged ? text.history.changedSince : errorMessage(error, text.errors))
  }
  return (message, undo) => {
    const run = () => void undo?.().then(() => toasts.done(text.history.undone), failed)
    toasts.done(message, undo && { label: text.history.undo, run })
  }
}
