import { useState } from 'react'
import { Unparsed } from './unparsed.ts'

interface Typing {
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly format: (value: unknown) => string
  /** Returns an `Unparsed` for a text that is not a value. */
  readonly parse: (text: string) => unknown
}

/** The text of an input whose value is not a text. The text stays as it was typed until the value changes from elsewhere. */
export function useTyped({ value, onChange, format, parse }: Typing): readonly [string, (text: string) => void] {
  const [typed, setTyped] = useState<{ readonly text: string; readonly value: unknown }>()
  const change = (text: string) => {
    const next = parse(text)
    setTyped({ text, value: next })
    onChange(next)
  }
  if (typed !== undefined && Object.is(typed.value, value)) return [typed.text, change]
  return [value instanceof Unparsed ? value.text : format(value), change]
}
