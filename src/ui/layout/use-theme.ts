import type { Preferences } from '../preferences.ts'
import { usePreference } from '../use-preference.ts'

type Theme = Preferences['theme']

/** The chosen theme, undefined for the system's, and a function that changes it at once. */
export function useTheme(): [Theme | undefined, (theme: Theme | undefined) => void] {
  const [theme, setTheme] = usePreference('theme')
  const change = (next: Theme | undefined) => {
    if (next === undefined) delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = next
    setTheme(next)
  }
  return [theme, change]
}
