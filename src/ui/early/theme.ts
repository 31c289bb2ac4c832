import type { PreferenceStore } from '../preferences.ts'

/** Sets a chosen theme. Without a choice, the system decides by the stylesheet. */
export function applyTheme(preferences: PreferenceStore): void {
  const theme = preferences.get('theme')
  if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme
}
