import { createContext, use } from 'react'
import type { PageSettings } from './page-settings.ts'

/** Provides the addresses of the server's parts. */
export const SettingsContext = createContext<PageSettings | undefined>(undefined)

/** The addresses of the server's parts. */
export function usePageSettings(): PageSettings {
  const settings = use(SettingsContext)
  if (settings === undefined) throw new Error('SettingsContext has no value')
  return settings
}
