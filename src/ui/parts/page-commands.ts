import { useEffect, useId } from 'react'
import type { Command, CommandGroup } from './command-list.tsx'

/** The commands of the open page, by the part of it that offers them. */
const offered = new Map<string, CommandGroup>()

/** The commands that the open page offers beside those of every page. */
export const offeredCommands = (): readonly CommandGroup[] => [...offered.values()]

/** Offers commands under a title while the component is shown; none for an empty list. */
export function useOfferedCommands(title: string, items: readonly Command[]): void {
  const id = useId()
  useEffect(() => {
    if (items.length > 0) offered.set(id, { value: title, items })
    return () => void offered.delete(id)
  })
}
