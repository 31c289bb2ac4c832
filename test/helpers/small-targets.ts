/**
 * A script for the page: its visible targets of less than 24 by 24 px, as their size and markup. A box or radio button is tapped by its label
 * too, and links within a text are exempt (WCAG 2.2, 2.5.8).
 */
export const SMALL_TARGETS = `[...document.querySelectorAll('a[href]:not(p a), button, input:not([type=hidden]), select, textarea, summary, [role=button], [role=option], [role=tab], [role=menuitem]')]
  .filter((each) => each.checkVisibility({ visibilityProperty: true }) && !each.closest('.visually-hidden, .skip, [inert], [aria-hidden=true]'))
  .flatMap((each) => {
    const boxes = [each, ...(each.labels ?? [])].map((target) => target.getBoundingClientRect())
    const isLarge = boxes.some(({ width, height }) => width >= 24 && height >= 24)
    const [{ width, height }] = boxes
    return isLarge || width < 2 ? [] : [Math.round(width) + ' × ' + Math.round(height) + ': ' + each.outerHTML.slice(0, 160)]
  })`
