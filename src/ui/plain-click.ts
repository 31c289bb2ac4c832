import type { MouseEvent } from 'react'

/** A handler of clicks on a link that opens a page in place of the browser, unless the user wants another tab or window. */
export const plainClick =
  (open: () => void) =>
  (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    open()
  }
