import { Bold, Code, Eye, Heading, Italic, Link, List, Quote } from 'lucide-react'
import { type ClipboardEvent, type KeyboardEvent, type ReactNode, useDeferredValue, useRef, useState } from 'react'
import { Markdown } from '../cells/markdown.tsx'
import { IconButton } from '../parts/button.tsx'
import { useLaterText } from '../text/later.ts'
import { withLineBreaks } from './line-breaks.ts'
import { MARKDOWN_EDITS, type MarkdownChange, type MarkdownEdit, markdownEdit, pastedLink } from './markdown-edits.ts'
import { FullScreen, TextArea } from './text-area.tsx'
import { inputText } from './text-inputs.tsx'
import type { InputProps, WidgetLinks } from './widget-props.ts'

const ICONS: Readonly<Record<MarkdownEdit, ReactNode>> = {
  bold: <Bold size={16} aria-hidden />,
  italic: <Italic size={16} aria-hidden />,
  heading: <Heading size={16} aria-hidden />,
  list: <List size={16} aria-hidden />,
  link: <Link size={16} aria-hidden />,
  code: <Code size={16} aria-hidden />,
  quote: <Quote size={16} aria-hidden />,
}

/** A text in Markdown, with buttons for its marks and a preview. An empty input is null. */
export function MarkdownInput({ field, modelField, value, onChange, links, record }: InputProps) {
  const label = field.title ?? modelField.label
  const change = (text: string) =>
    onChange(text === '' ? null : withLineBreaks(text, inputText(value), inputText(record?.[modelField.name])))
  return (
    <FullScreen label={label}>
      {(isFull) => (
        <MarkdownEditor
          links={isFull ? { 'aria-label': label, 'aria-invalid': links['aria-invalid'] } : links}
          text={inputText(value)}
          onChange={change}
          placeholder={field.placeholder}
          isPreviewed={isFull}
        />
      )}
    </FullScreen>
  )
}

interface MarkdownEditorProps {
  readonly links: WidgetLinks
  readonly text: string
  readonly onChange: (text: string) => void
  readonly placeholder: string | undefined
  /** True if the preview is open at first. */
  readonly isPreviewed: boolean
}

function MarkdownEditor({ links, text, onChange, placeholder, isPreviewed }: MarkdownEditorProps) {
  const words = useLaterText().markdown
  const area = useRef<HTMLTextAreaElement>(null)
  const [isOpen, setOpen] = useState(isPreviewed)
  const previewed = useDeferredValue(text)
  const selected = () => ({
    text: area.current?.value ?? '',
    start: area.current?.selectionStart ?? 0,
    end: area.current?.selectionEnd ?? 0,
  })
  const apply = (edit: MarkdownChange) => {
    if (area.current !== null) replaceText(area.current, edit)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const kind = event.ctrlKey || event.metaKey ? KEYS[event.key] : undefined
    if (kind === undefined || event.altKey || event.shiftKey) return
    event.preventDefault()
    apply(markdownEdit(kind, selected()))
  }
  const onPaste = (event: ClipboardEvent) => {
    const edit = pastedLink(selected(), event.clipboardData.getData('text/plain'))
    if (edit === undefined) return
    event.preventDefault()
    apply(edit)
  }
  return (
    <div className="markdown-editor">
      <div className="markdown-tools" role="toolbar" aria-label={words.tools} onKeyDown={moveInToolbar}>
        {MARKDOWN_EDITS.map((kind, place) => (
          <IconButton
            key={kind}
            label={words[kind]}
            icon={ICONS[kind]}
            tabIndex={place === 0 ? 0 : -1}
            onClick={() => apply(markdownEdit(kind, selected()))}
          />
        ))}
        <IconButton
          className="markdown-eye"
          label={words.preview}
          icon={<Eye size={16} aria-hidden />}
          tabIndex={-1}
          aria-pressed={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
      </div>
      <div className={isOpen ? 'markdown-panes markdown-open' : 'markdown-panes'}>
        <TextArea
          {...links}
          ref={area}
          className="input markdown-input"
          placeholder={placeholder}
          value={text}
          onChange={(event) => onChange(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        {isOpen && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the preview can be scrolled by keyboard.
          <section className="markdown-preview" aria-label={words.preview} tabIndex={0}>
            {previewed === '' ? <p className="placeholder">{words.nothing}</p> : <Markdown text={previewed} />}
          </section>
        )}
      </div>
    </div>
  )
}

const KEYS: Readonly<Record<string, MarkdownEdit>> = { b: 'bold', i: 'italic' }

/** Replaces a part of the text of an input so that Undo of the browser takes it back. */
function replaceText(area: HTMLTextAreaElement, { from, to, insert, start, end }: MarkdownChange): void {
  area.focus()
  area.setSelectionRange(from, to)
  // No other function adds to what the browser undoes.
  document.execCommand(insert === '' ? 'delete' : 'insertText', false, insert)
  area.setSelectionRange(start, end)
}

/** Arrow keys, Home and End lead from button to button; Tab leaves the toolbar. */
function moveInToolbar(event: KeyboardEvent<HTMLElement>): void {
  const buttons = [...event.currentTarget.querySelectorAll('button')]
  const at = buttons.indexOf(event.target as HTMLButtonElement)
  const places: Readonly<Record<string, number>> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 }
  const place = places[event.key]
  if (place === undefined) return
  event.preventDefault()
  for (const button of buttons) button.tabIndex = -1
  const next = buttons[(place + buttons.length) % buttons.length]
  if (next === undefined) return
  next.tabIndex = 0
  next.focus()
}
