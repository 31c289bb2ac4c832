import { Copy } from 'lucide-react'
import { useId, useRef } from 'react'
import { useLaterText } from '../text/later.ts'
import { Button } from './button.tsx'
import { useToasts } from './toast.tsx'

/** A text that cannot be changed, with a button that copies it. */
export function CopyField({ label, value }: { readonly label: string; readonly value: string }) {
  const text = useLaterText().copying
  const toasts = useToasts()
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value)
      toasts.done(text.copied)
    } catch {
      // Without https, and where the browser refuses, the text is selected for the keyboard.
      input.current?.select()
      toasts.done(text.selected)
    }
  }
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <div className="copy-field">
        <input ref={input} id={id} className="input mono" readOnly value={value} onFocus={(event) => event.target.select()} />
        <Button icon={<Copy size={14} aria-hidden />} onClick={() => void copy()}>
          {text.copy}
        </Button>
      </div>
    </div>
  )
}
