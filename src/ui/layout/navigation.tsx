import { Link } from '@tanstack/react-router'
import { History, LayoutDashboard, Webhook, Wrench } from 'lucide-react'
import type { ReactNode } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { useSite } from '../data/site.ts'
import { ModelIcon } from '../parts/model-icon.tsx'
import { useText } from '../text/text.tsx'

/** The menu: models by group, and the pages of administration that the user may open. */
export function Navigation() {
  const text = useText().shell
  const { title, logo, models, user, capabilities } = useSite()
  const groups = groupsOf(models, text.otherModels)
  return (
    <nav className="menu-nav" aria-label={text.menu}>
      <Link to="/" className="menu-brand">
        {logo !== null && <img src={logo} alt="" className="menu-logo" />}
        {title}
      </Link>
      <NavList>
        <NavLink to="/" icon={<LayoutDashboard size={16} aria-hidden />}>
          {text.dashboard}
        </NavLink>
      </NavList>
      {models.length === 0 && <p className="menu-note">{text.noModels}</p>}
      {groups.map(([group, members]) => (
        <NavList key={group} title={group}>
          {members.map((model) => (
            <li key={model.key}>
              <Link to="/models/$model" params={{ model: model.key }} className="menu-link">
                <ModelIcon name={model.icon} />
                <span className="menu-link-text">{model.label}</span>
                {model.count !== undefined && <span className="menu-count">{model.count.toLocaleString()}</span>}
              </Link>
            </li>
          ))}
        </NavList>
      ))}
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

/** Models by group: in the order of the site, those without a group last. */
function groupsOf(models: readonly SiteModel[], others: string): [string, SiteModel[]][] {
  const groups = Map.groupBy(models, ({ group }) => group ?? '')
  const ungrouped = groups.get('') ?? []
  groups.delete('')
  return [...groups, ...(ungrouped.length > 0 ? [[others, ungrouped] satisfies [string, SiteModel[]]] : [])]
}
