import { type RefObject, useEffect, useRef } from 'react'

/** Returns a ref for a form whose first input with a message gets the focus when a call has failed. @param error error of the last call */
export function useFaultFocus(error: unknown): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (error !== undefined) form.current?.querySelector<HTMLElement>('[data-invalid] input')?.focus()
  }, [error])
  return form
}
