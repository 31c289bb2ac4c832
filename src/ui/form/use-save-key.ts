import { useEffect, useEffectEvent } from 'react'
import { isSaveKey } from './save-key.ts'

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
