import { useBlocker } from '@tanstack/react-router'
import type { ReactNode } from 'react'
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

/**
 * Asks before a form with unsaved changes is left, for links, Back and reload.
 *
 * @param isLeaving true for changes of the address that leave the form
 * @returns the dialog, to be rendered
 */
export function useLeaveGuard(isDirty: boolean, isLeaving: (change: PageChange) => boolean = isOtherPage): ReactNode {
  const text = useText().form
  const blocker = useBlocker({
    shouldBlockFn: (change) => isDirty && isLeaving(change as PageChange),
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
          <Button kind="danger" onClick={() => blocker.proceed?.()}>
            {text.leave}
          </Button>
          <Button kind="primary" onClick={() => blocker.reset?.()}>
            {text.stay}
          </Button>
        </>
      }
    />
  )
}
