import { AdminError } from '../../client/client.ts'
import { useToasts } from '../parts/toast.tsx'
import { errorMessage } from '../text/error-message.ts'
import { useLaterText } from '../text/later.ts'
import { useText } from '../text/text.tsx'

/** How the undoing of many changes has ended. */
export interface Undone {
  /** What was undone. */
  readonly message: string
  /** Why some of it was not, or what to know. */
  readonly detail?: string | undefined
  /** True if all of it was undone. */
  readonly isWhole: boolean
}

/** Undoes what a notice tells of. @param say shows how far it is */
export type Undo = (say: (message: string) => void) => Promise<Undone | undefined>

/**
 * A function that says what was done, with Undo where that is possible. The notice shows that it is being undone, and how that has ended. A
 * change by others since then keeps it from being undone, and the notice says so.
 */
export function useUndoNotice(): (message: string, undo: Undo | undefined) => void {
  const text = useText()
  const later = useLaterText()
  const toasts = useToasts()
  const run = async (undo: Undo) => {
    const notice = toasts.running(later.history.undoing)
    try {
      const { message, detail, isWhole } = (await undo(notice.say)) ?? { message: later.history.undone, isWhole: true }
      if (isWhole) notice.done(message, detail)
      else notice.failed(message, detail)
    } catch (error) {
      const isChanged = error instanceof AdminError && error.type === 'precondition'
      notice.failed(later.history.notUndone, isChanged ? later.history.changedSince : errorMessage(error, text.errors))
    }
  }
  return (message, undo) => toasts.done(message, undo && { label: later.history.undo, run: () => void run(undo) })
}
