/** Code of the page that could not be loaded: the server cannot be reached, or has another version of the page. */
export class LoadFailure extends Error {
  /** Has it loaded again when it is next needed. Called once the failure is shown: until then React asks for the same attempt. */
  readonly forget: () => void

  constructor(cause: unknown, forget: () => void = () => {}) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.forget = forget
  }
}
