import { CSPProvider } from '@base-ui/react/csp-provider'
import { type ReactNode, useEffect, useState } from 'react'
import { lazyPart } from './lazy-part.ts'
import { Loaded } from './loaded.tsx'
import { ToastProvider } from './toast.tsx'

const TooltipPopup = lazyPart(() => import('./tooltip-popup.tsx').then((module) => module.TooltipPopup))

/** Milliseconds for which the pointer is on an element until its tooltip opens. */
const OPEN_MS = 400
/** Milliseconds for which the pointer may be on its way from the element to the tooltip. */
const CLOSE_MS = 150

const POPUP = '.tooltip'

/**
 * The one tooltip of the page: shows the `aria-label` of an element with the attribute `data-tooltip` while the pointer or the focus is on
 * it. Escape, a click and any other key close it.
 */
function Tooltip() {
  const [anchor, setAnchor] = useState<Element>()
  const [isOpen, setOpen] = useState(false)

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let shown: Element | undefined
    const after = (milliseconds: number, change: () => void) => {
      clearTimeout(timer)
      timer = setTimeout(change, milliseconds)
    }
    const open = (element: Element) => {
      clearTimeout(timer)
      shown = element
      setAnchor(element)
      setOpen(true)
    }
    const close = () => {
      clearTimeout(timer)
      shown = undefined
      setOpen(false)
    }
    const onPointer = ({ target, pointerType }: PointerEvent) => {
      if (pointerType === 'touch' || !(target instanceof Element)) return
      const element = target.closest('[data-tooltip]')
      if (element !== null) after(OPEN_MS, () => open(element))
      // The page may move under the pointer when the focus scrolls it.
      else if (target.closest(POPUP) === null && shown?.matches(':focus-visible') !== true) after(CLOSE_MS, close)
      else clearTimeout(timer)
    }
    const onFocus = ({ target }: FocusEvent) => {
      const isNamed = target instanceof Element && target.matches('[data-tooltip]:focus-visible')
      if (isNamed) open(target)
      else close()
    }
    const listening = new AbortController()
    const options = { signal: listening.signal, capture: true, passive: true }
    document.addEventListener('pointerover', onPointer, options)
    document.addEventListener('focusin', onFocus, options)
    document.addEventListener('focusout', close, options)
    document.addEventListener('pointerdown', close, options)
    document.addEventListener('keydown', close, options)
    return () => {
      clearTimeout(timer)
      listening.abort()
    }
  }, [])

  if (anchor === undefined) return undefined
  return (
    <Loaded isQuiet>
      <TooltipPopup anchor={anchor} text={anchor.ariaLabel ?? ''} isOpen={isOpen} onClose={() => setOpen(false)} />
    </Loaded>
  )
}

/** What the parts need around them. The content security policy of the page forbids style elements. */
export function PartsProvider({ children }: { readonly children: ReactNode }) {
  return (
    <CSPProvider disableStyleElements>
      <ToastProvider>{children}</ToastProvider>
      <Tooltip />
    </CSPProvider>
  )
}
