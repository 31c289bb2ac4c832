import { createContext, use, useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import type { PageSettings } from './page-settings.ts'
import { type Preferences, preferences } from './preferences.ts'

/** Provides the addresses of the server's parts. */
export const SettingsContext = createContext<PageSettings | undefined>(undefined)

/** The addresses of the server's parts. */
export function usePageSettings(): PageSettings {
  const settings = use(SettingsContext)
  if (settings === undefined) throw new Error('SettingsContext has no value')
  return settings
}

/** A preference and a function that changes it; `undefined` returns to the default. */
export function usePreference<K extends keyof Preferences>(
  name: K,
): [Preferences[K] | undefined, (value: Preferences[K] | undefined) => void] {
  const value = useSyncExternalStore(preferences.subscribe, () => preferences.get(name))
  return [value, useCallback((next) => preferences.set(name, next), [name])]
}

/** Preferences of a list, by `<model>/<list>`. */
type ListPreference = 'columns' | 'columnWidths' | 'pinnedColumns' | 'totals'

/** A preference of one list, and a function that changes it; `undefined` returns to the default. */
export function useListPreference<K extends ListPreference>(
  name: K,
  list: string,
): [Preferences[K][string] | undefined, (value: Preferences[K][string] | undefined) => void] {
  const [all, setAll] = usePreference(name)
  const change = (value: Preferences[K][string] | undefined) => {
    const { [list]: _, ...others }: Readonly<Record<string, unknown>> = all ?? {}
    setAll((value === undefined ? others : { ...others, [list]: value }) as Preferences[K])
  }
  return [all?.[list] as Preferences[K][string] | undefined, change]
}

const narrow = (): MediaQueryList => matchMedia('(max-width: 767px)')

/** True on a phone, where a row has no room for several buttons. */
export const useNarrow = (): boolean => useSyncExternalStore(onWidth, () => narrow().matches)

function onWidth(listener: () => void): () => void {
  const query = narrow()
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

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

/** The value as it was before the latest changes, until none has come for some milliseconds. */
export function usePause<T>(value: T, milliseconds = 250): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds)
    return () => clearTimeout(timer)
  }, [value, milliseconds])
  return settled
}
