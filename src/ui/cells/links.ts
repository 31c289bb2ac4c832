/** Schemes that a link may have; others, such as `javascript:`, could run code. */
const SAFE = /^(https?|mailto):/i

/** The address that a value links to; undefined if it must not be a link. */
export function linkOf(type: 'url' | 'email', value: string): string | undefined {
  const address = type === 'email' ? `mailto:${encodeURIComponent(value).replaceAll('%40', '@')}` : value
  return SAFE.test(address) && URL.canParse(address) ? address : undefined
}
