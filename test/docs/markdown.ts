/** A fenced block of a document. */
export interface Block {
  readonly language: string
  readonly code: string
  /** Line of the opening fence, from 1. */
  readonly line: number
  /** What the first line names, in a comment: `# models/book.yaml`. */
  readonly file: string | undefined
}

/** The fenced blocks of a document, in order. */
export function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\S*)[^\n]*\n([\s\S]*?)^```$/gm)].map(({ 1: language = '', 2: code = '', index }) => ({
    language,
    code,
    line: markdown.slice(0, index).split('\n').length,
    file: language === 'sh' ? undefined : /^(?:#|\/\/) ([\w.][\w./-]*\.\w+)\n/.exec(code)?.[1],
  }))
}

/** A document without its blocks. */
export const proseOf = (markdown: string): string => markdown.replace(/^```[\s\S]*?^```$/gm, '')

/** Where the links of a document lead. */
export const linksOf = (markdown: string): string[] =>
  [...proseOf(markdown).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)

/** What stands behind `#` in links to the headings of a document, as GitHub makes it. */
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

/** The rows of all tables of a document: the text of their cells. */
export function rowsOf(markdown: string): string[][] {
  return [...proseOf(markdown).matchAll(/^\|(.*)\|$/gm)].map(([, row = '']) =>
    row.split(/(?<!\\)\|/).map((cell) => cell.replaceAll('\\|', '|').trim()),
  )
}

/** What stands in backticks. */
export const codesIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
