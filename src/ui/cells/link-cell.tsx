import { linkOf } from './links.ts'
import { textClass } from './text-class.ts'

/** A web or e-mail address as a link. */
export function LinkCell({ type, value }: { readonly type: 'url' | 'email'; readonly value: string }) {
  const address = linkOf(type, value)
  if (address === undefined) return <span className={textClass(value)}>{value}</span>
  return (
    <a className={textClass(value)} href={address} rel="noreferrer" target={type === 'url' ? '_blank' : undefined} title={value}>
      {type === 'url' ? value.replace(/^https?:\/\//i, '') : value}
    </a>
  )
}
