import { type RefObject, useEffect } from 'react'

/**
 * Marks the parent of a scrolling element while contents are hidden: with `data-before` at its left edge, with `data-after` at its right
 * one.
 */
export function useScrollEdges(scroller: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = scroller.current
    const frame = element?.parentElement
    if (!element || !frame) return
    const mark = () => {
      const { scrollLeft, clientWidth, scrollWidth } = element
      frame.toggleAttribute('data-before', scrollLeft > 0)
      frame.toggleAttribute('data-after', scrollLeft + clientWidth < scrollWidth - 1)
    }
    const sizes = new ResizeObserver(mark)
    sizes.observe(element)
    if (element.firstElementChild !== null) sizes.observe(element.firstElementChild)
    element.addEventListener('scroll', mark, { passive: true })
    return () => {
      sizes.disconnect()
      element.removeEventListener('scroll', mark)
    }
  }, [scroller])
}
