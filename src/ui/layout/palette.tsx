import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Bookmark, History, LayoutDashboard, LogOut, Moon, Plus, Sun, UserRound, Webhook, Wrench } from 'lucide-react'
import { useState } from 'react'
import type { SiteHit } from '../../client/client.ts'
import { useSession } from '../data/page-session.ts'
import { siteSearchQuery } from '../data/records.ts'
import { viewSearch } from '../data/saved-views.ts'
import { may, modelOf, useSite } from '../data/site.ts'
import { useNoun } from '../data/use-views.ts'
import { usePause, useTheme } from '../hooks.ts'
import { type Command, type CommandGroup, CommandList } from '../parts/command-list.tsx'
import { ModelIcon } from '../parts/model-icon.tsx'
import { offeredCommands } from '../parts/page-commands.ts'
import { Dialog } from '../parts/popups.tsx'
import { Failure } from '../parts/states.tsx'
import { foldedCase } from '../text/format.ts'
import { useText } from '../text/text.tsx'

/** Finds models, actions and records by a few letters. Records are searched for after a pause in typing. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const text = useText()
  const session = useSession()
  const { capabilities } = useSite()
  const [query, setQuery] = useState('')
  const words = usePause(query.trim())
  const search = useQuery(siteSearchQuery(session, capabilities.search ? words : ''))
  const commands = useCommands(onClose)
  const records = useRecordCommands(words === '' ? [] : (search.data?.data ?? []), onClose)
  const isSearching = capabilities.search && query.trim() !== '' && (search.isFetching || words !== query.trim())
  const groups = [...matchingCommands(commands, query), ...(records === undefined ? [] : [records])]
  return (
    <Dialog isOpen onClose={onClose} title={text.palette.title} shape="top">
      <CommandList
        label={text.palette.label}
        query={query}
        onQuery={setQuery}
        groups={groups}
        empty={isSearching || search.error !== null ? undefined : text.common.noMatches}
        status={isSearching ? text.common.loading : undefined}
      />
      {search.error !== null && <Failure error={search.error} onRetry={() => void search.refetch()} />}
    </Dialog>
  )
}

/** Groups whose commands contain all words of the query in their label or note, upper and lower case alike. Empty groups are left out. */
function matchingCommands(groups: readonly CommandGroup[], query: string): CommandGroup[] {
  const words = foldedCase(query).split(/\s+/).filter(Boolean)
  return groups
    .map(({ value, items }) => ({
      value,
      items: items.filter(({ label, note = '' }) => {
        const text = foldedCase(`${label} ${note}`)
        return words.every((word) => text.includes(word))
      }),
    }))
    .filter(({ items }) => items.length > 0)
}

/** All commands that the user may run: models to open, records to create, pages and settings. @param onDone called before each runs */
function useCommands(onDone: () => void): readonly CommandGroup[] {
  const text = useText()
  const site = useSite()
  const { models, user, saved_views, capabilities } = site
  const noun = useNoun()
  const navigate = useNavigate()
  const session = useSession()
  const [, setTheme] = useTheme()
  const after = (run: () => void) => () => {
    onDone()
    run()
  }

  const opened: Command[] = models.map(({ key, label, icon }) => ({
    value: `open ${key}`,
    label,
    icon: <ModelIcon name={icon} />,
    run: after(() => void navigate({ to: '/models/$model', params: { model: key } })),
  }))
  const views: Command[] = saved_views.map((view) => ({
    value: `view ${view.id}`,
    label: view.name,
    note: modelOf(site, view.model)?.label ?? view.model,
    icon: <Bookmark size={14} aria-hidden />,
    run: after(() => void navigate({ to: '/models/$model', params: { model: view.model }, search: viewSearch(view) })),
  }))
  const created: Command[] = models
    .filter((model) => may(model, 'add'))
    .map((model) => ({
      value: `add ${model.key}`,
      label: text.palette.add(noun(model)),
      icon: <Plus size={14} aria-hidden />,
      run: after(() => void navigate({ to: '/models/$model/new', params: { model: model.key } })),
    }))
  const goTo = (to: '/' | '/account' | '/history' | '/webhooks' | '/tools', label: string, icon: Command['icon']): Command => ({
    value: `page ${to}`,
    label,
    icon,
    run: after(() => void navigate({ to })),
  })
  const pages = [
    goTo('/', text.shell.dashboard, <LayoutDashboard size={14} aria-hidden />),
    goTo('/account', text.shell.account, <UserRound size={14} aria-hidden />),
    ...(user.is_superuser && capabilities.history
      ? [goTo('/history', text.shell.history, <History size={14} aria-hidden />)]
      : []),
    ...(user.is_superuser && capabilities.webhooks
      ? [goTo('/webhooks', text.shell.webhooks, <Webhook size={14} aria-hidden />)]
      : []),
    ...(user.is_superuser ? [goTo('/tools', text.shell.tools, <Wrench size={14} aria-hidden />)] : []),
  ]
  const actions: Command[] = [
    { value: 'dark', label: text.palette.dark, icon: <Moon size={14} aria-hidden />, run: after(() => setTheme('dark')) },
    { value: 'light', label: text.palette.light, icon: <Sun size={14} aria-hidden />, run: after(() => setTheme('light')) },
    {
      value: 'log out',
      label: text.shell.logout,
      icon: <LogOut size={14} aria-hidden />,
      run: after(() => void session.logout().catch(() => {})),
    },
  ]
  const [offered] = useState(offeredCommands)
  return [
    ...offered.map(({ value, items }) => ({ value, items: items.map((item) => ({ ...item, run: after(item.run) })) })),
    { value: text.palette.models, items: opened },
    { value: text.list.savedViews, items: views },
    { value: text.palette.create, items: created },
    { value: text.palette.pages, items: pages },
    { value: text.palette.settings, items: actions },
  ]
}

/** Commands that open the records of a search; undefined without one. */
function useRecordCommands(hits: readonly SiteHit[], onDone: () => void): CommandGroup | undefined {
  const text = useText().palette
  const site = useSite()
  const navigate = useNavigate()
  if (hits.length === 0) return undefined
  const isRepeated = ({ model, label }: SiteHit) => hits.filter((hit) => hit.model === model && hit.label === label).length > 1
  const modelName = (key: string) => modelOf(site, key)?.label ?? key
  const items = hits.map((hit) => {
    const { model, id, label } = hit
    return {
      value: `record ${model} ${id}`,
      label: label === '' ? `#${id}` : label,
      note: label !== '' && isRepeated(hit) ? `${modelName(model)} · #${id}` : modelName(model),
      icon: <ModelIcon name={modelOf(site, model)?.icon ?? null} />,
      run: () => {
        onDone()
        void navigate({ to: '/models/$model/$id', params: { model, id: String(id) } })
      },
    }
  })
  return { value: text.records, items }
}
