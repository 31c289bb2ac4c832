import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, type RefObject, useEffect, useRef } from 'react'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/popups.tsx'
import type { SearchParams } from '../search-params.ts'
import { useText } from '../text/text.tsx'

/** A change of the address. */
export interface PageChange {
  readonly current: { readonly pathname: string }
  readonly next: { readonly pathname: string; readonly search: SearchParams }
}

/** True for a change to another page; other parameters of the same page leave nothing. */
export const isOtherPage = ({ current, next }: PageChange): boolean => current.pathname !== next.pathname

/** For each guarded form, whether a change of the address would lose its edits. */
const guards = new Set<RefObject<(change: PageChange) => boolean>>()

/**
 * Asks before a form with unsaved changes is left, for links, Back and reload. Where a change leaves several forms, one of them asks for all.
 *
 * @param isLeaving true for changes of the address that leave the form
 * @returns the dialog, to be rendered
 */
export function useLeaveGuard(isDirty: boolean, isLeaving: (change: PageChange) => boolean = isOtherPage): ReactNode {
  const text = useText().form
  const losesEdits = useRef<(change: PageChange) => boolean>(() => false)
  useEffect(() => {
    losesEdits.current = (change) => isDirty && isLeaving(change)
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
  const isBlocked = blocker.status === 'blocked'
  return (
    <Dialog
      isOpen={isBlocked}
      onClose={() => blocker.reset?.()}
      title={text.leaveTitle}
      description={text.leaveText}
      actions={
        <>
          <Button onClick={() => blocker.reset?.()}>{text.stay}</Button>
          <Button kind="danger" onClick={() => blocker.proceed?.()}>
            {text.leave}
          </Button>
        </>
      }
    />
  )
}
