/**
 * An edited text with the line breaks of the text before, which inputs of the browser turn into LF: those of lines that were not edited
 * stay, and new ones are as the first of the text.
 *
 * @param after with LF
 * @param stored the text that is stored, for a text that had no line break for a while
 */
export function withLineBreaks(after: string, before: string, stored = ''): string {
  if (!/\r/.test(before + stored)) return after
  const plain = before.replace(/\r\n?/g, '\n')
  const length = Math.min(plain.length, after.length)
  let head = 0
  while (head < length && plain[head] === after[head]) head += 1
  let tail = 0
  while (tail < length - head && plain.at(-1 - tail) === after.at(-1 - tail)) tail += 1
  const breaks = before.match(BREAKS) ?? []
  const usual = breaks[0] ?? stored.match(BREAKS)?.[0] ?? '\n'
  const [kept, total, last] = [after.slice(0, head), after, after.slice(after.length - tail)].map(count)
  const lines = after.split('\n')
  const breakAt = (index: number) => {
    if (index < (kept ?? 0)) return breaks[index]
    const fromEnd = (total ?? 0) - index
    return fromEnd <= (last ?? 0) ? breaks[breaks.length - fromEnd] : usual
  }
  return lines.map((line, index) => (index === lines.length - 1 ? line : line + (breakAt(index) ?? usual))).join('')
}

const BREAKS = /\r\n|\r|\n/g

const count = (text: string): number => text.split('\n').length - 1
