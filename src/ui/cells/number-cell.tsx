import { formatNumber } from './format.ts'
import { useLocale } from './use-locale.ts'

/** A number in the browser's locale. Decimals are text, since they may have more digits than a number can hold. */
export function NumberCell({ value, decimals }: { readonly value: unknown; readonly decimals: unknown }) {
  const locale = useLocale()
  if (typeof value !== 'number' && typeof value !== 'string') return <span className="cell-number">{String(value)}</span>
  return <span className="cell-number">{formatNumber(value, locale, typeof decimals === 'number' ? decimals : 0)}</span>
}
