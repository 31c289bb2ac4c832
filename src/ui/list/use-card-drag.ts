import { type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { ignoreNextClick } from './ignore-click.ts'

interface CardDragOptions {
  readonly isMovable: boolean
  /** True if a card can be dropped on a column. */
  readonly canDrop: (column: string) => boolean
  readonly onDrop: (id: number, column: string) => void
}

interface CardDrag {
  /** Id of the record that the pointer moves; undefined for none. */
  readonly id: number | undefined
  /** Key of the column below the pointer, if it takes the card. */
  readonly over: string | undefined
  /** What follows the pointer. */
  readonly ghost: RefObject<HTMLDivElement | null>
  readonly onPointerDown: (event: PointerEvent<HTMLElement>) => void
}

/** Pixels that the pointer moves until it drags. */
const DRAG_FROM = 5
/** Distance from an edge at which what lies behind it comes into sight. */
const EDGE = 48
/** Pixels by which it does so, each frame. */
const STEP = 12

const NONE = { id: undefined, over: undefined }

/**
 * Moves cards of a board with a mouse or a pen; a finger scrolls, and uses the menu of the card. At an edge the board and its columns are scrolled.
 * Escape gives up.
 */
export function useCardDrag(root: RefObject<HTMLElement | null>, options: CardDragOptions): CardDrag {
  const [state, setState] = useState<{ readonly id: number | undefined; readonly over: string | undefined }>(NONE)
  const ghost = useRef<HTMLDivElement>(null)
  const latest = useRef(options)
  latest.current = options
  const dragging = useRef<AbortController>(undefined)
  useEffect(() => () => dragging.current?.abort(), [])

  const onPointerDown = ({ pointerType, button, target, currentTarget, clientX, clientY }: PointerEvent<HTMLElement>) => {
    if (!latest.current.isMovable || pointerType === 'touch' || button !== 0 || !(target instanceof Element)) return
    const card = currentTarget.contains(target) ? target.closest<HTMLElement>('[data-card]') : null
    if (card === null || card.dataset.fixed !== undefined || target.closest('button') !== null) return
    const id = Number(card.dataset.card)
    const controller = new AbortController()
    const { signal } = controller
    dragging.current = controller
    let at = { x: clientX, y: clientY }
    let over: string | undefined
    let isDragging = false

    const end = () => {
      controller.abort()
      setState(NONE)
    }
    const look = () => {
      if (ghost.current !== null) ghost.current.style.translate = `${at.x + 8}px ${at.y + 8}px`
      const below = document.elementFromPoint(at.x, at.y)?.closest<HTMLElement>('[data-column]')
      const key = below !== null && below !== undefined && root.current?.contains(below) ? below.dataset.column : undefined
      over = key !== undefined && latest.current.canDrop(key) ? key : undefined
      setState((former) => (former.id === id && former.over === over ? former : { id, over }))
    }
    const scroll = () => {
      if (signal.aborted) return
      const board = root.current
      if (board !== null) {
        const { left, right } = board.getBoundingClientRect()
        board.scrollLeft += stepOf(at.x, left, right)
        const cards = document.elementFromPoint(at.x, at.y)?.closest('[data-column]')?.querySelector('ul')
        if (cards) {
          const box = cards.getBoundingClientRect()
          cards.scrollTop += stepOf(at.y, box.top, box.bottom)
        }
        look()
      }
      requestAnimationFrame(scroll)
    }
    const onMove = (event: globalThis.PointerEvent) => {
      at = { x: event.clientX, y: event.clientY }
      if (!isDragging && Math.hypot(at.x - clientX, at.y - clientY) < DRAG_FROM) return
      event.preventDefault()
      if (!isDragging) {
        isDragging = true
        getSelection()?.removeAllRanges()
        requestAnimationFrame(scroll)
      }
      look()
    }
    const onUp = () => {
      const target = over
      const wasDragging = isDragging
      end()
      if (!wasDragging) return
      ignoreNextClick()
      if (target !== undefined) latest.current.onDrop(id, target)
    }
    window.addEventListener('pointermove', onMove, { signal })
    window.addEventListener('pointerup', onUp, { signal })
    window.addEventListener('pointercancel', end, { signal })
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || !isDragging) return
      event.preventDefault()
      event.stopPropagation()
      window.addEventListener('pointerup', ignoreNextClick, { once: true })
      end()
    }
    window.addEventListener('keydown', onKey, { signal, capture: true })
  }
  return { ...state, ghost, onPointerDown }
}

/** How far to scroll for a pointer between two edges. */
const stepOf = (at: number, from: number, to: number): number => (at < from + EDGE ? -STEP : at > to - EDGE ? STEP : 0)
