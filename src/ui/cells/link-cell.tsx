/** Schemes that a link may have; others, such as `javascript:`, could run code. */
const SAFE = /^(https?|mailto):/i

/** The address that a value links to; undefined if it must not be a link. */
export function linkOf(type: 'url' | 'email', value: string): string | undefined {
  const address = type === 'email' ? `mailto:${encodeURIComponent(value).replaceAll('%40', '@')}` : value
  return SAFE.test(address) && URL.canParse(address) ? address : undefined
}

/** A web or e-mail address as a link. */
export function LinkCell({ type, value }: { readonly type: 'url' | 'email'; readonly value: string }) {
  const address = linkOf(type, value)
  if (address === undefined) return <span className="cell-text">{value}</span>
  return (
    <a className="cell-text" href={address} rel="noreferrer" target={type === 'url' ? '_blank' : undefined} title={value}>
      {type === 'url' ? value.replace(/^https?:\/\//i, '') : value}
    </a>
  )
}
