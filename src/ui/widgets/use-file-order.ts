import { type KeyboardEvent, type PointerEvent, type RefObject, useRef, useState } from 'react'

/** How files are put into another order: attributes of each file and of its handle. */
export interface FileOrder {
  /** Place of the file that is dragged. */
  readonly dragged: number | undefined
  /** The place that it would have. */
  readonly target: number | undefined
  /** Begins a drag with the pointer. @param isHandle false on the file itself, which only a mouse drags: a finger scrolls there */
  readonly onPointerDown: (event: PointerEvent, place: number, isHandle: boolean) => void
  readonly onKeyDown: (event: KeyboardEvent, place: number) => void
}

/** Pixels that a mouse moves before it drags. */
const THRESHOLD = 5

/** Reorders the files of a list by dragging them, or by the arrow keys on their handles. */
export function useFileOrder(root: RefObject<HTMLElement | null>, onMove: (from: number, to: number) => void): FileOrder {
  const [drag, setDrag] = useState<{ readonly dragged: number; readonly target: number }>()
  const stop = useRef<() => void>(undefined)

  const onPointerDown = (event: PointerEvent, place: number, isHandle: boolean) => {
    if (event.button !== 0 || (!isHandle && event.pointerType !== 'mouse')) return
    const start = { x: event.clientX, y: event.clientY }
    let target: number | undefined
    const follow = ({ clientX, clientY, pointerId }: globalThis.PointerEvent) => {
      if (pointerId !== event.pointerId) return
      if (target === undefined && Math.hypot(clientX - start.x, clientY - start.y) < THRESHOLD) return
      target = placeAt(root.current, clientX, clientY) ?? place
      setDrag({ dragged: place, target })
    }
    const end = ({ pointerId, type }: globalThis.PointerEvent) => {
      if (pointerId !== event.pointerId) return
      finish()
      if (type !== 'pointerup' || target === undefined) return
      // The click that ends a drag opens nothing.
      window.addEventListener('click', swallow, { capture: true, once: true })
      setTimeout(() => window.removeEventListener('click', swallow, { capture: true }), 0)
      onMove(place, target)
    }
    const cancel = (pressed: globalThis.KeyboardEvent) => {
      if (pressed.key !== 'Escape') return
      pressed.stopPropagation()
      finish()
    }
    const finish = () => {
      window.removeEventListener('pointermove', follow)
      window.removeEventListener('pointerup', end)
      window.removeEventListener('pointercancel', end)
      window.removeEventListener('keydown', cancel, { capture: true })
      setDrag(undefined)
    }
    stop.current?.()
    stop.current = finish
    window.addEventListener('pointermove', follow)
    window.addEventListener('pointerup', end)
    window.addEventListener('pointercancel', end)
    window.addEventListener('keydown', cancel, { capture: true })
  }

  const onKeyDown = (event: KeyboardEvent, place: number) => {
    const last = (root.current?.querySelectorAll('[data-file]').length ?? 1) - 1
    const to = placeBy(event.key, place, last)
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    event.stopPropagation()
    onMove(place, to)
  }
  return { dragged: drag?.dragged, target: drag?.target, onPointerDown, onKeyDown }
}

const swallow = (event: Event): void => {
  event.preventDefault()
  event.stopPropagation()
}

/** The place that a key moves a file to; undefined for other keys. */
export function placeBy(key: string, place: number, last: number): number | undefined {
  if (key === 'ArrowLeft' || key === 'ArrowUp') return Math.max(place - 1, 0)
  if (key === 'ArrowRight' || key === 'ArrowDown') return Math.min(place + 1, last)
  if (key === 'Home') return 0
  return key === 'End' ? last : undefined
}

/** The place of the file whose middle is nearest to a point. */
function placeAt(root: HTMLElement | null, x: number, y: number): number | undefined {
  let nearest: number | undefined
  let least = Number.POSITIVE_INFINITY
  for (const [place, item] of [...(root?.querySelectorAll('[data-file]') ?? [])].entries()) {
    const { left, top, width, height } = item.getBoundingClientRect()
    const distance = Math.hypot(x - left - width / 2, y - top - height / 2)
    if (distance >= least) continue
    least = distance
    nearest = place
  }
  return nearest
}
