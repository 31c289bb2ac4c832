import { Link } from '@tanstack/react-router'
import { History, LayoutDashboard, Webhook, Wrench } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { groupsOf, useSite } from '../data/site.ts'
import { useText } from '../text/text.tsx'
import { foldCase } from '../widgets/relations/matching-options.ts'
import { ModelGroup } from './model-group.tsx'

/** With more models than these the menu can be filtered. */
const MANY = 15

/** The menu: models by group, and the pages of administration that the user may open. */
export function Navigation() {
  const { shell: text, common } = useText()
  const { title, logo, models, user, capabilities } = useSite()
  const [filter, setFilter] = useState('')
  const words = foldCase(filter.trim())
  const shown = models.filter(({ key, label }) => foldCase(`${label} ${key}`).includes(words))
  const groups = groupsOf(shown, text.otherModels)
  return (
    <nav className="menu-nav" aria-label={text.menu}>
      <Link to="/" className="menu-brand">
        {logo !== null && <img src={logo} alt="" className="menu-logo" />}
        <span className="menu-title">{title}</span>
      </Link>
      <NavList>
        <NavLink to="/" icon={<LayoutDashboard size={16} aria-hidden />}>
          {text.dashboard}
        </NavLink>
      </NavList>
      {models.length === 0 && <p className="menu-note">{text.noModels}</p>}
      {models.length > MANY && (
        <input
          type="search"
          className="input menu-filter"
          aria-label={text.filterModels}
          placeholder={text.filterModels}
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      )}
      {groups.map(([group, members]) => (
        <ModelGroup key={group} title={group} models={members} isFiltered={words !== ''} />
      ))}
      {words !== '' && groups.length === 0 && <p className="menu-note">{common.noMatches}</p>}
      {user.is_superuser && (
        <NavList title={text.administration}>
          {capabilities.history && (
            <NavLink to="/history" icon={<History size={16} aria-hidden />}>
              {text.history}
            </NavLink>
          )}
          {capabilities.webhooks && (
            <NavLink to="/webhooks" icon={<Webhook size={16} aria-hidden />}>
              {text.webhooks}
            </NavLink>
          )}
          <NavLink to="/tools" icon={<Wrench size={16} aria-hidden />}>
            {text.tools}
          </NavLink>
        </NavList>
      )}
    </nav>
  )
}

function NavList({ title, children }: { readonly title?: string; readonly children: ReactNode }) {
  return (
    <section className="menu-group">
      {title !== undefined && <h2 className="menu-group-title">{title}</h2>}
      <ul className="menu-list">{children}</ul>
    </section>
  )
}

interface NavLinkProps {
  readonly to: '/' | '/history' | '/webhooks' | '/tools'
  readonly icon: ReactNode
  readonly children: ReactNode
}

const NavLink = ({ to, icon, children }: NavLinkProps) => (
  <li>
    <Link to={to} activeOptions={{ exact: to === '/', includeSearch: false }} className="menu-link">
      {icon}
      <span className="menu-link-text">{children}</span>
    </Link>
  </li>
)
