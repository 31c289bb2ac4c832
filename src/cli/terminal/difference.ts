/** Maximum number of lines printed of each side. */
const SHOWN_LINES = 8

/**
 * Formats the lines between the common start and the common end of two texts, like `diff`: removed lines, then added lines.
 *
 * @returns undefined when the texts are equal
 */
export function firstDifference(before: string, after: string): string | undefined {
  if (before === after) return undefined
  const [oldLines, newLines] = [before.split('\n'), after.split('\n')]
  const shorter = Math.min(oldLines.length, newLines.length)
  let start = 0
  while (start < shorter && oldLines[start] === newLines[start]) start++
  let end = 0
  while (end < shorter - start && oldLines.at(-1 - end) === newLines.at(-1 - end)) end++
  const removed = oldLines.slice(start, oldLines.length - end)
  const added = newLines.slice(start, newLines.length - end)
  return `@@ line ${start + 1} @@\n${firstLines('-', removed)}${firstLines('+', added)}`
}

function firstLines(sign: '-' | '+', lines: readonly string[]): string {
  const shown = lines.slice(0, SHOWN_LINES).map((line) => `${sign}${line}\n`)
  return shown.join('') + (lines.length > SHOWN_LINES ? `${sign} … and ${lines.length - SHOWN_LINES} more lines\n` : '')
}
