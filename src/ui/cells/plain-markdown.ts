/** Characters of a text that a line shows of it. */
const MAX_LENGTH = 500

/** The marks of Markdown, and what stays of the text in them. Written without a parser, which lists would have to load. */
const MARKS: readonly (readonly [RegExp, string])[] = [
  [/^(?:```|~~~).*$/gm, ''],
  [/^[ \t]*(?:>[ \t]?)+/gm, ''],
  [/^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/gm, ''],
  [/^#{1,6}[ \t]+/gm, ''],
  [/^[ \t]*(?:[-*_][ \t]*){3,}$/gm, ''],
  [/!?\[([^[\]\n]*)\]\([^()\s]*(?:[ \t]+"[^"\n]*")?\)/g, '$1'],
  [/\*\*([^*\n]+)\*\*/g, '$1'],
  [/__([^_\n]+)__/g, '$1'],
  [/~~([^~\n]+)~~/g, '$1'],
  [/\*([^*\s](?:[^*\n]*[^*\s])?)\*/g, '$1'],
  [/(?<![\w_])_([^_\n]+)_(?![\w_])/g, '$1'],
  [/`([^`\n]+)`/g, '$1'],
  [/\\([!-/:-@[-`{-~])/g, '$1'],
]

/** The beginning of a text in Markdown as one line without its marks, for cells. */
export function plainMarkdown(text: string): string {
  const plain = MARKS.reduce((rest, [mark, kept]) => rest.replace(mark, kept), text.slice(0, MAX_LENGTH))
  const line = plain.replace(/\s+/g, ' ').trim()
  return text.length > MAX_LENGTH ? `${line} …` : line
}
