import type { Change, ChangeListener } from './store.ts'

/** Reports a listener that failed. */
export type ReportFailure = (message: string, fields: { readonly error: unknown }) => void

/** The listeners of the changes of a store. The changes are committed, so a listener that fails is reported, and fails no write. */
export class ChangeListeners {
  readonly #listeners: { readonly onChange: ChangeListener; readonly onUnknown: () => void }[] = []
  readonly #report: ReportFailure

  constructor(report: ReportFailure = () => {}) {
    this.#report = report
  }

  /** @param onUnknown called after changes that are not told */
  add(onChange: ChangeListener, onUnknown: () => void = () => {}): void {
    this.#listeners.push({ onChange, onUnknown })
  }

  tell(changes: readonly Change[]): void {
    for (const { onChange } of this.#listeners) this.#unlessFailing(() => onChange(changes))
  }

  /** Reports that records were changed, and not which. */
  tellUnknown(): void {
    for (const { onUnknown } of this.#listeners) this.#unlessFailing(onUnknown)
  }

  #unlessFailing(call: () => void): void {
    try {
      call()
    } catch (error) {
      this.#report('A listener of committed changes failed', { error })
    }
  }
}
