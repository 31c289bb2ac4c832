import type { CommandGroup } from '../parts/command-list.tsx'
import { foldCase } from '../widgets/relations/matching-options.ts'

/** Groups whose commands contain all words of the query in their label or note, upper and lower case alike. Empty groups are left out. */
export function matchingCommands(groups: readonly CommandGroup[], query: string): CommandGroup[] {
  const words = foldCase(query).split(/\s+/).filter(Boolean)
  return groups
    .map(({ value, items }) => ({
      value,
      items: items.filter(({ label, note = '' }) => {
        const text = foldCase(`${label} ${note}`)
        return words.every((word) => text.includes(word))
      }),
    }))
    .filter(({ items }) => items.length > 0)
}
