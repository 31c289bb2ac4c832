/** Why a typed text is not a value. Lines and columns count from 1. */
export type Fault =
  | { readonly kind: 'number' }
  | { readonly kind: 'datetime' }
  | { readonly kind: 'json'; readonly line: number; readonly column: number }

/** A typed text that is not a value of its field, such as a number of which only the sign is there. It must not be sent. */
export class Unparsed {
  readonly text: string
  readonly fault: Fault

  constructor(text: string, fault: Fault) {
    this.text = text
    this.fault = fault
  }
}
