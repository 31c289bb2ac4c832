import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useLocation, useParams } from '@tanstack/react-router'
import { CircleUser, Languages, Menu as MenuIcon, Moon, Sun } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import type { Site } from '../../client/client.ts'
import { useSession } from '../data/page-session.ts'
import { useRemembered } from '../data/recents.ts'
import { recordQuery } from '../data/records.ts'
import { nameOf } from '../data/related.ts'
import { modelOf, useSite } from '../data/site.ts'
import { useFollowing, useIsOffline } from '../data/use-live.ts'
import { useTheme } from '../hooks.ts'
import { IconButton } from '../parts/button.tsx'
import { partOnUse } from '../parts/lazy-part.ts'
import { Loaded } from '../parts/loaded.tsx'
import { Dialog, LazyMenu } from '../parts/popups.tsx'
import { Notice } from '../parts/states.tsx'
import { preferences } from '../preferences.ts'
import { useText } from '../text/text.tsx'
import { Navigation } from './navigation.tsx'
import { PageKeys } from './page-keys.tsx'

const KeptFilters = partOnUse(() => import('./kept-filters.tsx').then((module) => module.KeptFilters))

/** The frame of all pages for a user who is logged in: menu, bar and content. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const text = useText().shell
  const site = useSite()
  const isOffline = useIsOffline()
  const [isMenuOpen, setMenuOpen] = useState(false)
  const [hasKeptFilters] = useState(() => preferences.get('savedFilters') !== undefined)
  const { pathname } = useLocation()
  const queries = useQueryClient()
  useFollowing(site.capabilities.events)
  usePageTitle(site)
  useEffect(() => {
    if (site.accent !== null) document.documentElement.style.setProperty('--accent', site.accent)
  }, [site.accent])
  // The menu closes when another page opens.
  useEffect(() => setMenuOpen(false), [pathname])
  // Another user must not see what the former one has loaded.
  useEffect(() => () => queries.clear(), [queries])

  return (
    <div className="shell">
      <a className="skip" href="#content">
        {text.skip}
      </a>
      <aside className="shell-side">
        <Navigation />
      </aside>
      <header className="shell-bar">
        <IconButton
          className="shell-menu-button"
          label={text.openMenu}
          icon={<MenuIcon size={18} aria-hidden />}
          onClick={() => setMenuOpen(true)}
        />
        <span className="shell-title">{site.title}</span>
        <PageKeys />
        <AppearanceSwitches />
        <AccountMenu />
      </header>
      <main id="content" className="page" tabIndex={-1}>
        {isOffline && <Notice kind="warning">{text.offline}</Notice>}
        {children}
      </main>
      {hasKeptFilters && (
        <Loaded isQuiet>
          <KeptFilters />
        </Loaded>
      )}
      <Dialog isOpen={isMenuOpen} onClose={() => setMenuOpen(false)} title={text.menu} shape="side">
        <Navigation />
      </Dialog>
    </div>
  )
}

/** Names the page in the title of the window: the record and its model, the import, or the page of the menu and its webhook. */
function usePageTitle(site: Site): void {
  const { shell: text, import: ofImport } = useText()
  const { pathname } = useLocation()
  const { model: key, id } = useParams({ strict: false })
  const pages: Readonly<Record<string, string>> = {
    history: text.history,
    webhooks: text.webhooks,
    account: text.account,
    tools: text.tools,
  }
  const page = Object.keys(pages).find((name) => pathname.startsWith(`/${name}`))
  const model = key === undefined ? undefined : modelOf(site, key)
  // The page of the record reads it.
  const record = useQuery({ ...recordQuery(useSession(), key ?? '', Number(id)), enabled: false }).data?.data
  useRemembered(model?.key, record?.id)
  const name = model?.label ?? (page === undefined ? undefined : pages[page])
  const named = model === undefined || record === undefined ? undefined : `${nameOf(record, model)} · ${name}`
  const label = name === undefined ? text.dashboard : id === undefined ? name : (named ?? `${name} #${id}`)
  const isImport = model !== undefined && pathname.endsWith('/import')
  const title = `${isImport ? ofImport.title(model.label) : label} · ${site.title}`
  useEffect(() => {
    document.title = title
  }, [title])
}

const AccountChoices = partOnUse(() => import('./account-choices.tsx').then((module) => module.AccountChoices))
const LanguageMenu = partOnUse(() => import('./account-choices.tsx').then((module) => module.LanguageMenu))

/** Switches between light and dark at once, and offers the languages. On a phone the menu of the user has both. */
function AppearanceSwitches() {
  const { shell, palette } = useText()
  const [theme, setTheme] = useTheme()
  const isDark = theme === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark'
  const trigger = <IconButton label={shell.languageLabel} icon={<Languages size={18} aria-hidden />} />
  return (
    <div className="shell-switches">
      <IconButton
        label={isDark ? palette.light : palette.dark}
        icon={isDark ? <Sun size={18} aria-hidden /> : <Moon size={18} aria-hidden />}
        onClick={() => setTheme(isDark ? 'light' : 'dark')}
      />
      <LazyMenu trigger={trigger}>
        <LanguageMenu trigger={trigger} />
      </LazyMenu>
    </div>
  )
}

/** The menu of the user. */
function AccountMenu() {
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
