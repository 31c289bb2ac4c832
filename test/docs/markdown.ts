/** A fenced code block of a Markdown document. */
export interface Block {
  readonly language: string
  readonly code: string
  /** Line of the opening fence, from 1. */
  readonly line: number
  /** File name in a comment on the first line: `# models/book.yaml`. */
  readonly file: string | undefined
}

/** The fenced code blocks of a document, in order. */
export function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\S*)[^\n]*\n([\s\S]*?)^```$/gm)].map(({ 1: language = '', 2: code = '', index }) => ({
    language,
    code,
    line: markdown.slice(0, index).split('\n').length,
    file: language === 'sh' ? undefined : /^(?:#|\/\/) ([\w.][\w./-]*\.\w+)\n/.exec(code)?.[1],
  }))
}

/** A document without its code blocks. */
export const proseOf = (markdown: string): string => markdown.replace(/^```[\s\S]*?^```$/gm, '')

/** The targets of the links of a document. */
export const linksOf = (markdown: string): string[] =>
  [...proseOf(markdown).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)

/** The anchors of the headings of a document, as GitHub derives them. */
export function anchorsOf(markdown: string): Set<string> {
  const headings = [...proseOf(markdown).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading)
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

/** The rows of all tables of a document, as the text of their cells. */
export function rowsOf(markdown: string): string[][] {
  return [...proseOf(markdown).matchAll(/^\|(.*)\|$/gm)].map(([, row = '']) =>
    row.split(/(?<!\\)\|/).map((cell) => cell.replaceAll('\\|', '|').trim()),
  )
}

/** The code spans of a text, without their backticks. */
export const codesIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
