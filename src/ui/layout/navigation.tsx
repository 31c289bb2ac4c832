import { Link, useLocation, useParams, useRouter } from '@tanstack/react-router'
import { ChevronDown, ChevronRight, History, LayoutDashboard, Webhook, Wrench } from 'lucide-react'
import { memo, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { plainClick } from '../cells/cell.tsx'
import { groupsOf, isAdministered, useSite, useSiteRefresh } from '../data/site.ts'
import { usePreference } from '../hooks.ts'
import { ModelIcon } from '../parts/model-icon.tsx'
import { ProjectMark } from '../parts/project-mark.tsx'
import { foldedCase, formatNumber } from '../text/format.ts'
import { useLocale, useText } from '../text/text.tsx'

/** With more models than these the menu can be filtered. */
const MANY = 15

/** The menu: models by group, and the pages of administration that the user may open. */
export function Navigation() {
  const { shell: text, common } = useText()
  const { title, logo, models, user, capabilities } = useSite()
  const [filter, setFilter] = useState('')
  const words = foldedCase(filter.trim())
  const shown = models.filter(({ key, label }) => foldedCase(`${label} ${key}`).includes(words))
  const accounts = shown.filter(isAdministered)
  const groups = groupsOf(
    shown.filter((model) => !accounts.includes(model)),
    text.otherModels,
  )
  const { model: active } = useParams({ strict: false })
  useFreshCounts()
  return (
    <nav className="menu-nav" aria-label={text.menu}>
      <Link to="/" className="menu-brand">
        <ProjectMark title={title} logo={logo} />
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
      {words !== '' && shown.length === 0 && <p className="menu-note">{common.noMatches}</p>}
      {(user.is_superuser || accounts.length > 0) && (
        <NavList title={text.administration}>
          {accounts.map((model) => (
            <li key={model.key}>
              <ModelLink model={model} isActive={model.key === active} />
            </li>
          ))}
          {user.is_superuser && capabilities.history && (
            <NavLink to="/history" icon={<History size={16} aria-hidden />}>
              {text.history}
            </NavLink>
          )}
          {user.is_superuser && capabilities.webhooks && (
            <NavLink to="/webhooks" icon={<Webhook size={16} aria-hidden />}>
              {text.webhooks}
            </NavLink>
          )}
          {user.is_superuser && (
            <NavLink to="/tools" icon={<Wrench size={16} aria-hidden />}>
              {text.tools}
            </NavLink>
          )}
        </NavList>
      )}
    </nav>
  )
}

/** Milliseconds for which the counts of the first load are recent. */
const RECENT_MS = 5000

/** Reads the counts of the menu again when the dashboard opens, unless the page was loaded just now. */
function useFreshCounts(): void {
  const refresh = useRef(useSiteRefresh())
  const isDashboard = useLocation({ select: ({ pathname }) => pathname === '/' })
  useEffect(() => {
    if (isDashboard && performance.now() > RECENT_MS) void refresh.current()
  }, [isDashboard])
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

interface ModelGroupProps {
  readonly title: string
  readonly models: readonly SiteModel[]
  /** True while the menu shows matches, which a folded group must not hide. */
  readonly isFiltered: boolean
}

/** The models of a group of the menu. The browser remembers which groups are folded. */
function ModelGroup({ title, models, isFiltered }: ModelGroupProps) {
  const { model: active } = useParams({ strict: false })
  const list = useId()
  const [folded = [], setFolded] = usePreference('foldedGroups')
  const isOpen = isFiltered || !folded.includes(title)
  const toggle = () => setFolded(folded.includes(title) ? folded.filter((name) => name !== title) : [...folded, title])
  return (
    <section className="menu-group">
      <h2 className="menu-group-title">
        <button type="button" className="menu-fold" aria-expanded={isOpen} aria-controls={list} onClick={toggle}>
          <span className="menu-link-text">{title}</span>
          {isOpen ? <ChevronDown size={14} aria-hidden /> : <ChevronRight size={14} aria-hidden />}
        </button>
      </h2>
      <ul className="menu-list" id={list} hidden={!isOpen}>
        {isOpen &&
          models.map((model) => (
            <li key={model.key}>
              <ModelLink model={model} isActive={model.key === active} />
            </li>
          ))}
      </ul>
    </section>
  )
}

interface ModelLinkProps {
  readonly model: SiteModel
  /** True on the pages of the model. */
  readonly isActive: boolean
}

/** A model in the menu, with the number of its records. The menu of a large project has hundreds, for which a `Link` costs too much. */
const ModelLink = memo(function ModelLink({ model, isActive }: ModelLinkProps) {
  const { key, label, icon, count } = model
  const router = useRouter()
  const locale = useLocale()
  const to = { to: '/models/$model', params: { model: key } } as const
  return (
    <a
      href={`${router.basepath}/models/${encodeURIComponent(key)}`}
      className="menu-link"
      title={label}
      data-status={isActive ? 'active' : undefined}
      aria-current={isActive ? 'page' : undefined}
      // The list is read while the button is held down. A failure shows when the page opens.
      onPointerDown={({ button, pointerType, ctrlKey, metaKey, shiftKey }) => {
        const isOpening = pointerType === 'mouse' && button === 0 && !ctrlKey && !metaKey && !shiftKey
        if (isOpening) void router.preloadRoute(to).catch(() => {})
      }}
      onClick={plainClick(() => void router.navigate(to))}
    >
      <ModelIcon name={icon} />
      <span className="menu-link-text">{label}</span>
      {count !== undefined && <span className="menu-count">{formatNumber(count, locale)}</span>}
    </a>
  )
})
