import { Fold } from './fold.tsx'

/** A JSON value: in one line while folded, indented while unfolded. */
export function JsonCell({ value }: { readonly value: unknown }) {
  const line = JSON.stringify(value)
  return (
    <Fold
      short={<code className="cell-json">{line}</code>}
      long={<pre className="cell-json">{JSON.stringify(value, null, 2)}</pre>}
      isLong={line.length > 40}
    />
  )
}
