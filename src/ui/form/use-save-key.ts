import { useEffect, useEffectEvent } from 'react'

/** Saves on the keys of the form even while the focus is outside of it. Keys within dialogs are theirs. */
export function useSaveKey(onSave: () => void): void {
  const save = useEffectEvent(onSave)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isInDialog = event.target instanceof Element && event.target.closest('[role=dialog]:not(.toast)') !== null
      if (!isSaveKey(event) || isInDialog || event.defaultPrevented) return
      event.preventDefault()
      save()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])
}

/** The parts of a keyboard event that name a key. */
interface Key {
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly shiftKey: boolean
  readonly key: string
}

/** Ctrl or ⌘ with Enter or S. */
export const isSaveKey = ({ ctrlKey, metaKey, altKey, shiftKey, key }: Key): boolean =>
  (ctrlKey || metaKey) && !altKey && !shiftKey && (key === 'Enter' || key === 's')
