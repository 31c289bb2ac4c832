import { useBlocker } from '@tanstack/react-router'
import { createContext, type ReactNode, type RefObject, use, useEffect, useRef, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/popups.tsx'
import type { SearchParams } from '../search-params.ts'
import { useText } from '../text/text.tsx'

/** A place within the page, without its fragment. */
interface Place {
  readonly pathname: string
  readonly search: SearchParams
}

/** A change of the address. */
export interface PageChange {
  readonly current: Place
  readonly next: Place
  /** `REPLACE` for a change that the user does not go back over. */
  readonly action: string
}

/** True for a change to another page; other parameters of the same page leave nothing. */
export const isOtherPage = ({ current, next }: PageChange): boolean => current.pathname !== next.pathname

/** Says which changes of the address leave the forms within: those to another page, and for a drawer those that close it. */
export const LeavingContext = createContext(isOtherPage)

/** For each guarded form, whether a change of the address would lose its edits. */
const guards = new Set<RefObject<(change: PageChange) => boolean>>()

/**
 * Asks before a form with unsaved changes is left, for links, Back and reload. Where a change leaves several forms, one of them asks for all.
 *
 * @param isAlsoLeaving true for further changes of the address that leave the form
 * @returns the dialog, to be rendered
 */
export function useLeaveGuard(isDirty: boolean, isAlsoLeaving?: (change: PageChange) => boolean): ReactNode {
  const isLeaving = use(LeavingContext)
  const losesEdits = useRef<(change: PageChange) => boolean>(() => false)
  useEffect(() => {
    losesEdits.current = (change) => isDirty && (isLeaving(change) || isAlsoLeaving?.(change) === true)
  })
  useEffect(() => {
    guards.add(losesEdits)
    return () => void guards.delete(losesEdits)
  }, [])
  const blocker = useBlocker({
    shouldBlockFn: (change) => [...guards].find(({ current }) => current(change as PageChange)) === losesEdits,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  })
  return (
    <LeaveQuestion isOpen={blocker.status === 'blocked'} onStay={() => blocker.reset?.()} onLeave={() => blocker.proceed?.()} />
  )
}

/** The guard of a form in a dialog. */
interface CloseGuard {
  /** Closes the dialog, after a question if the form has edits: for Escape, the close button, a click beside it and Cancel. */
  readonly close: () => void
  /** The questions, to be rendered within the dialog. */
  readonly guard: ReactNode
}

/**
 * Asks before a form in a dialog that is not in the address is closed with unsaved changes, or left.
 *
 * @param onClose closes the dialog
 */
export function useCloseGuard(isDirty: boolean, onClose: () => void): CloseGuard {
  const [isAsking, setAsking] = useState(false)
  const guard = useLeaveGuard(isDirty, isOtherState)
  return {
    close: () => (isDirty ? setAsking(true) : onClose()),
    guard: (
      <>
        {guard}
        <LeaveQuestion isOpen={isAsking} onStay={() => setAsking(false)} onLeave={onClose} />
      </>
    ),
  }
}

/** True if Back or Forward shows another state of the page, such as another tab. Drawers that open or close leave what is beside them. */
function isOtherState({ current, next, action }: PageChange): boolean {
  const stateOf = ({ search }: Place) => JSON.stringify({ ...search, open: undefined })
  return action !== 'REPLACE' && stateOf(current) !== stateOf(next)
}

interface LeaveQuestionProps {
  readonly isOpen: boolean
  readonly onStay: () => void
  readonly onLeave: () => void
}

function LeaveQuestion({ isOpen, onStay, onLeave }: LeaveQuestionProps) {
  const text = useText().form
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onStay}
      title={text.leaveTitle}
      description={text.leaveText}
      actions={
        <>
          <Button onClick={onStay}>{text.stay}</Button>
          <Button kind="danger" onClick={onLeave}>
            {text.leave}
          </Button>
        </>
      }
    />
  )
}
