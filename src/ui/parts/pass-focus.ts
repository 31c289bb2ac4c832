/** What can have the focus. */
const FOCUSABLE = ':is(a[href], button, input, select, textarea, [tabindex="0"]):not(:disabled, [hidden])'

/** The button of a chip. */
const REMOVE = '.chip-remove'

/** Ends the watch over the control that was pressed before. */
let endFormer = () => {}

/**
 * Passes the focus on once a control that was pressed goes away with it: to what takes its place, is before it, or is around it,
 * at a chip to the button that removes the next one. Otherwise the focus would be lost to the whole page.
 */
export function passFocus(control: Element): void {
  endFormer()
  const content = document.getElementById('content')
  const places = placesOf(control, content)
  const observer = new MutationObserver(() => {
    if (control.isConnected) return
    observer.disconnect()
    if (document.activeElement !== document.body) return
    const next = places
      .filter(({ parent }) => parent.isConnected)
      .flatMap(({ parent, place }) => [parent.children[place], parent.children[place - 1], parent])
      .map((each) => each && focusableIn(each, control.matches(REMOVE)))
      .find((each) => each !== undefined)
    ;(next ?? content)?.focus({ preventScroll: true })
    if (next === undefined) return
    // What is shown meanwhile may go away as well, until something else is pressed.
    passFocus(next)
    for (const press of ['keydown', 'pointerdown']) addEventListener(press, endFormer, { once: true, capture: true })
  })
  observer.observe(document.body, { childList: true, subtree: true })
  endFormer = () => observer.disconnect()
}

/** Where a control and the elements around it stand, up to the content of the page. */
function placesOf(control: Element, content: Element | null) {
  const places: { readonly parent: Element; readonly place: number }[] = []
  for (let each = control; each.parentElement !== null && each.parentElement !== content; each = each.parentElement)
    places.push({ parent: each.parentElement, place: [...each.parentElement.children].indexOf(each) })
  return places
}

/** The click of a button that its own action takes away: passes the focus on. */
export const passing =
  (act: () => void) =>
  ({ currentTarget }: { readonly currentTarget: Element }): void => {
    passFocus(currentTarget)
    act()
  }

function focusableIn(element: Element, isRemoval: boolean): HTMLElement | undefined {
  const all = [element, ...element.querySelectorAll(FOCUSABLE)].filter(
    (each): each is HTMLElement => each instanceof HTMLElement && each.matches(FOCUSABLE) && each.checkVisibility(),
  )
  return (isRemoval ? all.find((each) => each.matches(REMOVE)) : undefined) ?? all[0]
}
