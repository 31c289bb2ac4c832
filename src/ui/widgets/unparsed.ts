import { useState } from 'react'

/** Why a typed text is not a value. Lines and columns count from 1. */
export type InputFault =
  /** The beginning of a number, such as a sign. */
  | { readonly kind: 'number' }
  /** No date, time, or both, as the pattern shows how to write them. */
  | { readonly kind: 'date' | 'time' | 'datetime'; readonly pattern: string }
  | { readonly kind: 'notNumber' }
  /** More digits than a number can hold, or a number that is too large. */
  | { readonly kind: 'inexactNumber' }
  | { readonly kind: 'ambiguousNumber' | 'ambiguousDate'; readonly readings: readonly string[] }
  /** A time that the clocks of the browser's time zone skip. */
  | { readonly kind: 'skippedTime' }
  | JsonInputFault

/** A fault in JSON: of its syntax, or a value that would change when it is stored. */
export interface JsonInputFault {
  readonly kind: 'json' | 'jsonName' | 'jsonNumber'
  /** The name that is given twice, or the number. */
  readonly text: string
  readonly line: number
  readonly column: number
}

/** A typed text that is not a value of its field, such as a number of which only the sign is there. It must not be sent. */
export class Unparsed {
  readonly text: string
  readonly fault: InputFault
  /** True once the focus has left the input: the text is not about to become a value. */
  readonly wasLeft: boolean

  constructor(text: string, fault: InputFault, wasLeft = false) {
    this.text = text
    this.fault = fault
    this.wasLeft = wasLeft
  }
}

interface Typing {
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly format: (value: unknown) => string
  /** Returns an `Unparsed` for a text that is not a value. */
  readonly parse: (text: string) => unknown
}

/**
 * The text of an input whose value is not a text. The text stays as it was typed until the value changes from elsewhere, or until it is
 * settled, when the focus leaves: it then shows what was read. A text that is no value stays.
 *
 * @returns the text, a function that changes it, and one that settles it
 */
export function useTyped({ value, onChange, format, parse }: Typing): readonly [string, (text: string) => void, () => void] {
  const [typed, setTyped] = useState<{ readonly text: string; readonly value: unknown }>()
  const change = (text: string) => {
    const next = parse(text)
    setTyped({ text, value: next })
    onChange(next)
  }
  const settle = () => {
    setTyped(undefined)
    if (value instanceof Unparsed && !value.wasLeft) onChange(new Unparsed(value.text, value.fault, true))
  }
  if (typed !== undefined && Object.is(typed.value, value)) return [typed.text, change, settle]
  return [value instanceof Unparsed ? value.text : format(value), change, settle]
}
