import { useBlocker } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/popups.tsx'
import { useText } from '../text/text.tsx'

/**
 * Asks before a page with unsaved changes is left, for links, Back and reload. Changes of the address within the page do not ask.
 *
 * @returns the dialog, to be rendered
 */
export function useLeaveGuard(isDirty: boolean): ReactNode {
  const text = useText().form
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
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
