import { useEffect } from 'react'

/** What a key does; `mod` is Ctrl, or ⌘ on a Mac. */
export type Keys = Readonly<Record<string, () => void>>

/** Inputs that take no text: a ticked box keeps the focus, and single keys still belong to the page. */
const TEXTLESS = ['button', 'checkbox', 'color', 'file', 'radio', 'range', 'reset', 'submit']
  .map((type) => `[type=${type}]`)
  .join()

/** Elements that take single letters: as text, or to choose an option. */
const TEXT_INPUTS = `input:not(${TEXTLESS}), textarea, select, [role=textbox], [role=combobox]`

/** True while the user types into something, where single letters are text. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches(TEXT_INPUTS))
}

/** Messages at the edge of the page have the role of a dialog too, but keep no key from the page. */
const isDialogOpen = (): boolean =>
  document.querySelector(':is([role=dialog], [role=alertdialog]):not(.toast), [role=menu]') !== null

/**
 * Runs functions by keys of the whole page: `mod+k`, or a single key such as `?`. Single keys do nothing while the user types, and no key
 * does while a dialog or a menu is open.
 *
 * @param keys must be the same object until it should be replaced
 */
export function useKeys(keys: Keys): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const hasModifier = event.ctrlKey || event.metaKey
      if (event.altKey || event.defaultPrevented || isDialogOpen() || (!hasModifier && isTyping(event.target))) return
      const run = keys[hasModifier ? `mod+${event.key.toLowerCase()}` : event.key]
      if (run === undefined) return
      event.preventDefault()
      run()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [keys])
}
