import { CircleUser } from 'lucide-react'
import { lazy } from 'react'
import { useSite } from '../data/site.ts'
import { LazyMenu } from '../parts/lazy-menu.tsx'
import { useText } from '../text/text.tsx'

const AccountChoices = lazy(async () => ({ default: (await import('./account-choices.tsx')).AccountChoices }))

/** The menu of the user. */
export function AccountMenu() {
  const text = useText().shell
  const { user } = useSite()
  const trigger = (
    <button type="button" className="account-button" aria-label={`${user.username ?? ''}: ${text.account}`}>
      <CircleUser size={18} aria-hidden />
      <span className="account-name">{user.username}</span>
    </button>
  )
  return (
    <LazyMenu trigger={trigger}>
      <AccountChoices trigger={trigger} />
    </LazyMenu>
  )
}
