/** A number with its noun: `1 fault`, `2 faults`. */
export const counted = (count: number, noun: string, nouns = `${noun}s`): string => `${count} ${count === 1 ? noun : nouns}`
