import type { CommandGroup } from '../parts/command-list.tsx'

/** Groups whose commands contain all words of the query in their label or note, upper and lower case alike. Empty groups are left out. */
export function matchingCommands(groups: readonly CommandGroup[], query: string): CommandGroup[] {
  const words = query.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  return groups
    .map(({ value, items }) => ({
      value,
      items: items.filter(({ label, note = '' }) => {
        const text = `${label} ${note}`.toLocaleLowerCase()
        return words.every((word) => text.includes(word))
      }),
    }))
    .filter(({ items }) => items.length > 0)
}
