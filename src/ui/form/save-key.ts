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
