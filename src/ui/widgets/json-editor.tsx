import '../styles/json.css'
import { useRef } from 'react'
import { Button } from '../parts/button.tsx'
import { useText } from '../text/text.tsx'
import { faultText } from './faults.ts'
import { faultIn, formatJson, parseJson } from './json-text.ts'
import { FullScreen, TextArea } from './text-area.tsx'
import { Unparsed, useTyped } from './unparsed.ts'
import type { InputProps, WidgetLinks } from './widget-props.ts'

/** JSON as text, with line numbers. A fault is named with its line and column, and can be jumped to. */
export function JsonEditor({ field, modelField, value, onChange, links }: InputProps) {
  const [typed, setTyped] = useTyped({ value, onChange, format: formatJson, parse: parseJson })
  const label = field.title ?? modelField.label
  return (
    <FullScreen label={label}>
      {(isFull) => (
        <JsonText
          links={isFull ? { 'aria-label': label, 'aria-invalid': links['aria-invalid'] } : links}
          {...{ value, typed, isFull }}
          onType={setTyped}
          placeholder={field.placeholder}
        />
      )}
    </FullScreen>
  )
}

interface JsonTextProps {
  readonly links: WidgetLinks
  readonly value: unknown
  readonly typed: string
  readonly onType: (text: string) => void
  readonly placeholder: string | undefined
  /** True away from the field, which otherwise shows the message of a fault. */
  readonly isFull: boolean
}

function JsonText({ links, value, typed, onType, placeholder, isFull }: JsonTextProps) {
  const text = useText().form
  const area = useRef<HTMLTextAreaElement>(null)
  const numbers = useRef<HTMLPreElement>(null)
  const fault = value instanceof Unparsed ? value.fault : undefined
  const canFormat = fault === undefined && typed !== ''
  const jump = () => {
    const offset = faultIn(typed)?.offset ?? typed.length
    area.current?.focus()
    area.current?.setSelectionRange(offset, Math.min(offset + 1, typed.length))
  }
  return (
    <div className="json">
      <div className="json-area">
        <pre ref={numbers} className="json-lines" aria-hidden>
          <LineNumbers
            count={typed.split('\n').length}
            marked={fault !== undefined && 'line' in fault ? fault.line : undefined}
          />
        </pre>
        <TextArea
          {...links}
          ref={area}
          className="json-input"
          wrap="off"
          spellCheck={false}
          autoComplete="off"
          placeholder={placeholder}
          value={typed}
          onChange={(event) => onType(event.target.value)}
          onScroll={({ currentTarget }) => {
            if (numbers.current !== null) numbers.current.scrollTop = currentTarget.scrollTop
          }}
        />
      </div>
      <div className="json-actions">
        <Button kind="quiet" aria-disabled={!canFormat || undefined} onClick={() => canFormat && onType(formatJson(value))}>
          {text.jsonFormat}
        </Button>
        {fault !== undefined && (
          <Button kind="quiet" onClick={jump}>
            {text.jsonJump}
          </Button>
        )}
        {isFull && fault !== undefined && <span className="field-errors">{faultText(fault, text)}</span>}
      </div>
    </div>
  )
}

/** The numbers 1 to `count` below each other, one of them marked. */
function LineNumbers({ count, marked }: { readonly count: number; readonly marked: number | undefined }) {
  const lines = Array.from({ length: count }, (_, index) => index + 1)
  if (marked === undefined) return lines.join('\n')
  const before = lines.slice(0, marked - 1).map((line) => `${line}\n`)
  const after = lines.slice(marked).map((line) => `\n${line}`)
  return (
    <>
      {before.join('')}
      <span className="json-fault">{marked}</span>
      {after.join('')}
    </>
  )
}
