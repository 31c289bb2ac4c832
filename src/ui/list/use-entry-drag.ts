import { type PointerEvent, useEffect, useRef } from 'react'
import type { Shift } from './calendar-layout.ts'
import { ignoreNextClick } from './ignore-click.ts'

/** Steps of the clock by which records are moved, in minutes. */
export const CLOCK_STEP = 15

/** Pixels that the pointer moves until it drags. */
const DRAG_FROM = 5
const DAY_MINUTES = 1440
const DAY_MS = 86_400_000

interface EntryDragOptions {
  /** Called while the pointer moves, and once more when it ends. @param isEnd true if the button was released */
  readonly onDrag: (id: number, by: Shift | undefined, isResize: boolean, isEnd: boolean) => void
}

/** A place below the pointer: a day, with minutes where it is between the hours. */
interface Slot {
  readonly day: string
  readonly minutes: number | undefined
}

/** The slot at a point of the window. */
export function slotAt(x: number, y: number): Slot | undefined {
  const found = document.elementsFromPoint(x, y).find((each) => each instanceof HTMLElement && each.dataset.day !== undefined)
  if (!(found instanceof HTMLElement) || found.dataset.day === undefined) return undefined
  if (found.dataset.hours === undefined) return { day: found.dataset.day, minutes: undefined }
  const { top, height } = found.getBoundingClientRect()
  return { day: found.dataset.day, minutes: Math.min(Math.max(((y - top) / height) * DAY_MINUTES, 0), DAY_MINUTES) }
}

/** Moves and resizes records of a calendar with a mouse or a pen. Escape gives up. */
export function useEntryDrag(options: EntryDragOptions): (event: PointerEvent<HTMLElement>) => void {
  const latest = useRef(options)
  latest.current = options
  const dragging = useRef<AbortController>(undefined)
  useEffect(() => () => dragging.current?.abort(), [])

  return ({ pointerType, button, target, clientX, clientY }) => {
    if (pointerType === 'touch' || button !== 0 || !(target instanceof Element)) return
    const element = target.closest<HTMLElement>('[data-entry]')
    const origin = slotAt(clientX, clientY)
    if (element === null || element.dataset.movable === undefined || origin === undefined) return
    const id = Number(element.dataset.entry)
    const isResize = target.closest('[data-grip]') !== null
    const controller = new AbortController()
    const { signal } = controller
    dragging.current = controller
    let by: Shift | undefined
    let isDragging = false

    const onMove = ({ clientX: x, clientY: y }: globalThis.PointerEvent) => {
      if (!isDragging && Math.hypot(x - clientX, y - clientY) < DRAG_FROM) return
      isDragging = true
      const slot = slotAt(x, y)
      if (slot === undefined) return
      const days = Math.round((Date.parse(slot.day) - Date.parse(origin.day)) / DAY_MS)
      const isTimed = slot.minutes !== undefined && origin.minutes !== undefined
      const minutes = isTimed ? Math.round(((slot.minutes ?? 0) - (origin.minutes ?? 0)) / CLOCK_STEP) * CLOCK_STEP : 0
      by = { days, minutes }
      latest.current.onDrag(id, by, isResize, false)
    }
    const end = (isDone: boolean) => {
      controller.abort()
      if (!isDragging) return
      if (isDone) ignoreNextClick()
      latest.current.onDrag(id, isDone ? by : undefined, isResize, true)
    }
    window.addEventListener('pointermove', onMove, { signal })
    window.addEventListener('pointerup', () => end(true), { signal })
    window.addEventListener('pointercancel', () => end(false), { signal })
    window.addEventListener(
      'keydown',
      (event) => {
        if (event.key !== 'Escape' || !isDragging) return
        event.stopPropagation()
        window.addEventListener('pointerup', ignoreNextClick, { once: true })
        end(false)
      },
      { signal, capture: true },
    )
  }
}
