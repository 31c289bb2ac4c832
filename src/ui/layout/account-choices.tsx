import { Link } from '@tanstack/react-router'
import { BookOpen, LogOut, UserRound } from 'lucide-react'
import type { ReactElement } from 'react'
import { useSession } from '../data/page-session.ts'
import { useSite } from '../data/site.ts'
import { usePageSettings, usePreference, useTheme } from '../hooks.ts'
import { Menu, MenuChoice, MenuItem, MenuSeparator } from '../parts/menu.tsx'
import { useToasts } from '../parts/toast.tsx'
import { chooseLanguage, languageNames, useText } from '../text/text.tsx'

/** What the menu of the user offers: account, theme, language, log out. Open at first. */
export function AccountChoices({ trigger }: { readonly trigger: ReactElement }) {
  const text = useText().shell
  const { capabilities } = useSite()
  const { docs } = usePageSettings()
  const session = useSession()
  const [theme, setTheme] = useTheme()
  return (
    <Menu trigger={trigger} isOpen>
      <MenuItem icon={<UserRound size={14} aria-hidden />} render={<Link to="/account" />}>
        {text.account}
      </MenuItem>
      {capabilities.openapi && (
        <MenuItem icon={<BookOpen size={14} aria-hidden />} render={<a href={docs}>{text.apiDocs}</a>}>
          {text.apiDocs}
        </MenuItem>
      )}
      <MenuSeparator />
      <MenuChoice
        label={text.theme}
        value={theme ?? 'system'}
        onChange={(value) => setTheme(value === 'dark' || value === 'light' ? value : undefined)}
        options={[
          { value: 'system', label: text.themeSystem },
          { value: 'light', label: text.themeLight },
          { value: 'dark', label: text.themeDark },
        ]}
      />
      <MenuSeparator />
      <LanguageChoice />
      <MenuSeparator />
      <MenuItem icon={<LogOut size={14} aria-hidden />} onClick={() => void session.logout().catch(() => {})}>
        {text.logout}
      </MenuItem>
    </Menu>
  )
}

/** A menu of the languages of the page. Open at first. */
export const LanguageMenu = ({ trigger }: { readonly trigger: ReactElement }) => (
  <Menu trigger={trigger} isOpen>
    <LanguageChoice />
  </Menu>
)

function LanguageChoice() {
  const text = useText().shell
  const toasts = useToasts()
  const [language] = usePreference('language')
  return (
    <MenuChoice
      label={text.languageLabel}
      value={language ?? ''}
      onChange={(value) => {
        chooseLanguage(value === '' ? undefined : value).catch((error: Error) =>
          toasts.failed(text.languageFailed(error.message)),
        )
      }}
      options={[{ value: '', label: text.languageBrowser }, ...languageNames()]}
    />
  )
}
