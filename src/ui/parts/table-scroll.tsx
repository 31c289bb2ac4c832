import type { ReactNode } from 'react'

/** Scrolls a table that is wider than the page. The keyboard reaches it, since the table may contain no control. */
export const TableScroll = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: only an element that can have the focus scrolls by keyboard in every browser.
  <section className="table-scroll" aria-label={label} tabIndex={0}>
    {children}
  </section>
)
