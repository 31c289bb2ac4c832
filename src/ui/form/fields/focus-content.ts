/** Moves the focus to the content of the page, after the element that had it has gone with the former page. */
export function focusContent(): void {
  document.getElementById('content')?.focus({ preventScroll: true })
}
