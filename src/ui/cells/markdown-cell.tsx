import type { ReactNode } from 'react'
import { plainMarkdown } from './plain-markdown.ts'

interface MarkdownCellProps {
  readonly value: string
  /** Renders the text without its marks. */
  readonly children: (plain: string) => ReactNode
}

/** A text in Markdown without its marks, in one line. */
export const MarkdownCell = ({ value, children }: MarkdownCellProps) => children(plainMarkdown(value))
