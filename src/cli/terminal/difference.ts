/** Nobody reads more of what is to be made anew anyway. */
const SHOWN_LINES = 8

/**
 * Where two texts part and where they meet again, in the manner of `diff`: what only the first says, then what only the second
 * does, in a few lines.
 *
 * @returns undefined when they are the same
 */
export function firstDifference(before: string, after: string): string | undefined {
  if (before === after) return undefined
  const [old, made] = [before.split('\n'), after.split('\n')]
  const shorter = Math.min(old.length, made.length)
  let start = 0
  while (start < shorter && old[start] === made[start]) start++
  let end = 0
  while (end < shorter - start && old.at(-1 - end) === made.at(-1 - end)) end++
  const [gone, come] = [old.slice(start, old.length - end), made.slice(start, made.length - end)]
  return `@@ line ${start + 1} @@\n${some('-', gone)}${some('+', come)}`
}

function some(sign: '-' | '+', lines: readonly string[]): string {
  const shown = lines.slice(0, SHOWN_LINES).map((line) => `${sign}${line}\n`)
  return shown.join('') + (lines.length > SHOWN_LINES ? `${sign} … and ${lines.length - SHOWN_LINES} more lines\n` : '')
}
