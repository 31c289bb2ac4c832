import { sendEarly } from './early-requests.ts'
import { mayHaveSession, readPageSettings } from './page-settings.ts'
import { type PreferenceStore, preferences } from './preferences.ts'

// Runs before the first paint, while the modules of the page are loaded. It is a classic script: a module would run after the document.

const settings = readPageSettings(document)
applyTheme(preferences)
if (settings.accent !== undefined) document.documentElement.style.setProperty('--accent', settings.accent)
if (mayHaveSession(preferences)) globalThis.earlyResponses = sendEarly(settings, location.pathname)

/** Sets a chosen theme. Without a choice, the system decides by the stylesheet. */
function applyTheme(preferences: PreferenceStore): void {
  const theme = preferences.get('theme')
  if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme
}
