/** Why a typed text is not a value. Lines and columns count from 1. */
export type Fault =
  /** The beginning of a number, such as a sign. */
  | { readonly kind: 'number' }
  /** The beginning of a date and time. */
  | { readonly kind: 'datetime' }
  | { readonly kind: 'notNumber' }
  /** More digits than a number can hold, or a number that is too large. */
  | { readonly kind: 'inexactNumber' }
  | { readonly kind: 'ambiguousNumber'; readonly readings: readonly string[] }
  /** A time that the clocks of the browser's time zone skip. */
  | { readonly kind: 'skippedTime' }
  | JsonFault

/** A fault in JSON: of its syntax, or a value that would change when it is stored. */
export interface JsonFault {
  readonly kind: 'json' | 'jsonName' | 'jsonNumber'
  /** The name that is given twice, or the number. */
  readonly text: string
  readonly line: number
  readonly column: number
}

/** A typed text that is not a value of its field, such as a number of which only the sign is there. It must not be sent. */
export class Unparsed {
  readonly text: string
  readonly fault: Fault

  constructor(text: string, fault: Fault) {
    this.text = text
    this.fault = fault
  }
}
