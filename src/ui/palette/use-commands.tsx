import { useNavigate } from '@tanstack/react-router'
import { LayoutDashboard, LogOut, Moon, Plus, Sun, UserRound, Wrench } from 'lucide-react'
import { may, useSite } from '../data/site.ts'
import { useTheme } from '../layout/use-theme.ts'
import type { Command, CommandGroup } from '../parts/command-list.tsx'
import { ModelIcon } from '../parts/icons/model-icon.tsx'
import { useSession } from '../session/use-session.ts'
import { useText } from '../text/text.tsx'

/** All commands that the user may run: models to open, records to create, pages and settings. @param onDone called before each runs */
export function useCommands(onDone: () => void): readonly CommandGroup[] {
  const text = useText()
  const { models, user } = useSite()
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
  const created: Command[] = models
    .filter((model) => may(model, 'add'))
    .map(({ key, name }) => ({
      value: `add ${key}`,
      label: text.palette.add(name),
      icon: <Plus size={14} aria-hidden />,
      run: after(() => void navigate({ to: '/models/$model/new', params: { model: key } })),
    }))
  const goTo = (to: '/' | '/account' | '/tools', label: string, icon: Command['icon']): Command => ({
    value: `page ${to}`,
    label,
    icon,
    run: after(() => void navigate({ to })),
  })
  const pages = [
    goTo('/', text.shell.dashboard, <LayoutDashboard size={14} aria-hidden />),
    goTo('/account', text.shell.account, <UserRound size={14} aria-hidden />),
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
  return [
    { value: text.palette.models, items: opened },
    { value: text.palette.create, items: created },
    { value: text.palette.pages, items: pages },
    { value: text.palette.settings, items: actions },
  ]
}
