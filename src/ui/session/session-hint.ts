import type { PreferenceStore } from '../preferences.ts'

/**
 * False if the browser has no session of this page for sure: a visitor is not asked for one of the server. A browser that keeps nothing
 * may have one.
 */
export const mayHaveSession = (preferences: PreferenceStore): boolean =>
  !preferences.isKept || preferences.get('hasSession') === true
