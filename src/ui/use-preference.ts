import { useCallback, useSyncExternalStore } from 'react'
import { type Preferences, preferences } from './preferences.ts'

/** A preference and a function that changes it; `undefined` returns to the default. */
export function usePreference<K extends keyof Preferences>(
  name: K,
): [Preferences[K] | undefined, (value: Preferences[K] | undefined) => void] {
  const value = useSyncExternalStore(preferences.subscribe, () => preferences.get(name))
  return [value, useCallback((next) => preferences.set(name, next), [name])]
}
