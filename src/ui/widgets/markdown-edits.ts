/** A text with the part that is selected; both ends are the same for a caret. */
export interface SelectedText {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** A change of a text: a part of it that is replaced, and what is selected then. */
export interface MarkdownChange {
  readonly from: number
  readonly to: number
  readonly insert: string
  readonly start: number
  readonly end: number
}

/** What the buttons of a Markdown editor do. */
export const MARKDOWN_EDITS = ['bold', 'italic', 'heading', 'list', 'link', 'code', 'quote'] as const
export type MarkdownEdit = (typeof MARKDOWN_EDITS)[number]

/** The change that a button makes: it sets marks, or takes them away where they are set. */
export function markdownEdit(kind: MarkdownEdit, selected: SelectedText): MarkdownChange {
  switch (kind) {
    case 'bold':
      return toggledMarks(selected, '**')
    case 'italic':
      return toggledMarks(selected, '*')
    case 'code':
      return partOf(selected).includes('\n') ? fenced(selected) : toggledMarks(selected, '`')
    case 'heading':
      return toggledLines(selected, '## ')
    case 'list':
      return toggledLines(selected, '- ')
    case 'quote':
      return toggledLines(selected, '> ')
    case 'link':
      return linked(selected, 'https://')
  }
}

const ADDRESS = /^(?:https?:\/\/|mailto:)[^\s<>()]+$/i

/** The change by a pasted address: it becomes the address of a link of the selected words. Undefined for anything else. */
export function pastedLink(selected: SelectedText, pasted: string): MarkdownChange | undefined {
  const part = partOf(selected)
  const address = pasted.trim()
  if (part === '' || part.includes('\n') || ADDRESS.test(part) || !ADDRESS.test(address)) return undefined
  const { to, ...edit } = linked(selected, address)
  const after = edit.from + edit.insert.length
  return { ...edit, to, start: after, end: after }
}

const partOf = ({ text, start, end }: SelectedText): string => text.slice(start, end)

/** Marks around the selected part, or none where it has them. */
function toggledMarks(selected: SelectedText, mark: string): MarkdownChange {
  const { text, start, end } = selected
  const size = mark.length
  const part = partOf(selected)
  if (isMarked(text.slice(0, start), text.slice(end), mark))
    return { from: start - size, to: end + size, insert: part, start: start - size, end: end - size }
  // Spaces at the ends would undo the marks.
  const first = start + (part.length - part.trimStart().length)
  const last = Math.max(first, end - (part.length - part.trimEnd().length))
  const inner = text.slice(first, last)
  return { from: first, to: last, insert: mark + inner + mark, start: first + size, end: last + size }
}

/** True if a text ends with a mark and the text after it begins with it: two stars are bold, one or three have italics. */
function isMarked(before: string, after: string, mark: string): boolean {
  const sign = mark.charAt(0)
  let left = 0
  while (before.at(-1 - left) === sign) left++
  let right = 0
  while (after.charAt(right) === sign) right++
  const count = Math.min(left, right)
  return sign === '*' ? (mark.length === 2 ? count >= 2 : count % 2 === 1) : count >= mark.length
}

/** A mark before each line of the selection, or none where all have it. Empty lines between others have none. */
function toggledLines({ text, start, end }: SelectedText, mark: string): MarkdownChange {
  const from = text.lastIndexOf('\n', start - 1) + 1
  const next = text.indexOf('\n', Math.max(end - (end > start ? 1 : 0), from))
  const to = next === -1 ? text.length : next
  const lines = text.slice(from, to).split('\n')
  const counted = lines.length === 1 ? lines : lines.filter((line) => line.trim() !== '')
  const isSet = counted.every((line) => line.startsWith(mark))
  const bare = (line: string) => (mark === '## ' ? line.replace(/^#{1,6} /, '') : line)
  const changed = lines.map((line) => {
    if (isSet) return line.startsWith(mark) ? line.slice(mark.length) : line
    return counted.includes(line) && !line.startsWith(mark) ? mark + bare(line) : line
  })
  const insert = changed.join('\n')
  if (start !== end) return { from, to, insert, start: from, end: from + insert.length }
  const caret = Math.max(from, start + insert.length - (to - from))
  return { from, to, insert, start: caret, end: caret }
}

/** A block of code of the selected lines. */
function fenced({ text, start, end }: SelectedText): MarkdownChange {
  const part = text.slice(start, end).replace(/\n$/, '')
  const before = start === 0 || text[start - 1] === '\n' ? '' : '\n'
  const insert = `${before}\`\`\`\n${part}\n\`\`\`\n`
  const first = start + before.length + 4
  return { from: start, to: end, insert, start: first, end: first + part.length }
}

/** A link of the selected words; its address, or the place of its words, is selected. */
function linked(selected: SelectedText, address: string): MarkdownChange {
  const { start, end } = selected
  const part = partOf(selected)
  const insert = `[${part}](${address})`
  const first = part === '' ? start + 1 : start + part.length + 3
  return { from: start, to: end, insert, start: first, end: part === '' ? first : first + address.length }
}
