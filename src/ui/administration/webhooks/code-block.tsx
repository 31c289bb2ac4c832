interface CodeBlockProps {
  readonly label: string
  readonly children: string
}

/** A text with its line breaks. The keyboard reaches it, since a long one scrolls. */
export const CodeBlock = ({ label, children }: CodeBlockProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: only an element that can have the focus scrolls by keyboard in every browser.
  <section className="code" aria-label={label} tabIndex={0}>
    <pre>{children}</pre>
  </section>
)
