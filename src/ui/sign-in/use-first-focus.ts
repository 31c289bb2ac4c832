import { type RefObject, useEffect, useRef } from 'react'

/** Returns a ref for a form whose first input gets the focus when it appears. */
export function useFirstFocus(): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector<HTMLInputElement>('input:not([type=hidden])')?.focus(), [])
  return form
}
