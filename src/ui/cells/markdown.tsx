import '../styles/markdown.css'
import { memo } from 'react'
import { markdownElements } from './markdown-elements.tsx'

/** A text in Markdown to read. Its module is loaded when the first one is shown, since it has the parser. */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  return <div className="markdown">{markdownElements(text)}</div>
})
