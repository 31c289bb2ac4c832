import { useRef } from 'react'
import { Button } from '../parts/button.tsx'
import { useText } from '../text/text.tsx'
import { faultIn, formatJson, parseJson } from './json-text.ts'
import { Unparsed, useTyped } from './unparsed.ts'
import type { InputProps } from './widget-props.ts'

/** JSON as text. A fault is named with its line and column, and can be jumped to. */
export function JsonEditor({ field, value, onChange, links }: InputProps) {
  const text = useText().form
  const area = useRef<HTMLTextAreaElement>(null)
  const [typed, setTyped] = useTyped({ value, onChange, format: formatJson, parse: parseJson })
  const jump = () => {
    const offset = faultIn(typed)?.offset ?? typed.length
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
