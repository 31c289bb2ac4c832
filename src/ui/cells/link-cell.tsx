import { linkOf } from './links.ts'

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
