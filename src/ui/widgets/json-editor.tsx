import { type ParseError, parse } from 'jsonc-parser'
import { useRef } from 'react'
import { Button } from '../parts/button.tsx'
import { useText } from '../text/text.tsx'
import { Unparsed } from './unparsed.ts'
import { useTyped } from './use-typed.ts'
import type { InputProps } from './widget-props.ts'

/** JSON as text. A fault is named with its line and column, and can be jumped to. */
export function JsonEditor({ field, value, onChange, links }: InputProps) {
  const text = useText().form
  const area = useRef<HTMLTextAreaElement>(null)
  const [typed, setTyped] = useTyped({ value, onChange, format: formatJson, parse: parseJson })
  const jump = () => {
    const offset = faultIn(typed) ?? typed.length
    area.current?.focus()
    area.current?.setSelectionRange(offset, Math.min(offset + 1, typed.length))
  }
  return (
    <div className="json">
      <textarea
        {...links}
        ref={area}
        className="input textarea json-input"
        spellCheck={false}
        autoComplete="off"
        placeholder={field.placeholder}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <div className="json-actions">
        {value instanceof Unparsed && (
          <Button kind="quiet" onClick={jump}>
            {text.jsonJump}
          </Button>
        )}
        {!(value instanceof Unparsed) && typed !== '' && typed !== formatJson(value) && (
          <Button kind="quiet" onClick={() => setTyped(formatJson(value))}>
            {text.jsonFormat}
          </Button>
        )}
      </div>
    </div>
  )
}

const formatJson = (value: unknown): string => (value === null || value === undefined ? '' : JSON.stringify(value, null, 2))

/** Parses typed JSON; null for an empty text. */
export function parseJson(text: string): unknown {
  if (text.trim() === '') return null
  const offset = faultIn(text)
  if (offset === undefined) return JSON.parse(text)
  const before = text.slice(0, offset).split('\n')
  return new Unparsed(text, { kind: 'json', line: before.length, column: (before.at(-1)?.length ?? 0) + 1 })
}

/** The offset of the first fault in a text; undefined for JSON. */
function faultIn(text: string): number | undefined {
  const faults: ParseError[] = []
  parse(text, faults, { disallowComments: true, allowTrailingComma: false })
  if (faults[0] !== undefined) return faults[0].offset
  try {
    JSON.parse(text)
    return undefined
  } catch {
    // The browser is stricter, for example about control characters within texts; it does not name the place everywhere.
    return 0
  }
}
