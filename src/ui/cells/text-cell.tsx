import { Fold } from './fold.tsx'
import { textClass } from './text-class.ts'

/** Characters that two lines of a column hold for sure; a longer text can be unfolded. */
const SHORT = 48

/** A text of at most two lines; a longer one can be unfolded. */
export function TextCell({ value }: { readonly value: string }) {
  const isLong = value.length > SHORT || value.includes('\n')
  if (!isLong) return <span className={textClass(value)}>{value}</span>
  return (
    <Fold
      short={<span className={textClass(value)}>{value}</span>}
      long={<span className="cell-text cell-open">{value}</span>}
      isLong
    />
  )
}
