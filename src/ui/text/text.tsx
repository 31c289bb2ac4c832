import { createContext, type ReactNode, use, useMemo, useSyncExternalStore } from 'react'
import { preferences } from '../preferences.ts'
import { en, type Text } from './en.ts'
import { localeOf } from './format.ts'

/** Another language is a file beside this one, such as `de.ts`, which exports the texts as its default. */
const others = import.meta.glob<{ readonly default: Text }>(['./??.ts', '!./en.ts'])

const loaders = new Map(Object.entries(others).map(([path, load]) => [path.slice('./'.length, -'.ts'.length), load]))

/** Codes of the languages, such as `en` and `de`. */
const languages: readonly string[] = ['en', ...loaders.keys()]

interface ShownText {
  readonly text: Text
  readonly language: string
  /** The preferred language, if it could not be loaded at the start. */
  readonly missing: string | undefined
}

const TextContext = createContext<ShownText>({ text: en, language: 'en', missing: undefined })

/** The texts of the present language. */
export const useText = (): Text => use(TextContext).text

/** Code of the present language. */
export const useLanguage = (): string => use(TextContext).language

/** The name of the preferred language if it could not be loaded at the start, so that the page is in English; undefined otherwise. */
export function useMissingLanguage(): string | undefined {
  const { missing } = use(TextContext)
  return missing === undefined ? undefined : languageName(missing)
}

/** The language that the user has chosen, otherwise the first of the browser's that the page has, otherwise English. */
function preferredLanguage(chosen: string | undefined, browser: readonly string[]): string {
  const wanted = [...(chosen === undefined ? [] : [chosen]), ...browser.map((tag) => tag.slice(0, 2).toLowerCase())]
  return wanted.find((code) => languages.includes(code)) ?? 'en'
}

/** The language that the page should have. */
const preferredNow = (): string => preferredLanguage(preferences.get('language'), navigator.languages)

/** The texts that were loaded; English is part of the page. */
const loaded = new Map([['en', en]])

async function loadTexts(language: string): Promise<void> {
  if (loaded.has(language)) return
  const module = await loaders.get(language)?.()
  if (module !== undefined) loaded.set(language, module.default)
}

/** The loading of the first language, which also ends if it fails. */
let first: Promise<void> | undefined

let choices = 0

/**
 * Changes the language once its texts are there, so that the page stays as it is until then, and if they cannot be loaded.
 *
 * @param chosen undefined for the language of the browser
 * @throws {Error} if they cannot be loaded; its message is the name of the language
 */
export async function chooseLanguage(chosen: string | undefined): Promise<void> {
  const choice = ++choices
  const language = preferredLanguage(chosen, navigator.languages)
  await loadTexts(language).catch((cause: unknown) => {
    throw new Error(languageName(language), { cause })
  })
  if (choice === choices) preferences.set('language', chosen)
}

/** Provides the texts of the preferred language. Suspends until the first are loaded; the page is in English if that fails. */
export function TextProvider({ children }: { readonly children: ReactNode }) {
  // The texts and not the language: it may be chosen again after it could not be loaded.
  const text = useSyncExternalStore(preferences.subscribe, () => loaded.get(preferredNow()))
  const preferred = preferredNow()
  if (text === undefined) first ??= loadTexts(preferred).catch(() => {})
  // Also after it has ended: React fails if a component that has suspended calls `use` no more.
  if (first !== undefined) use(first)
  const value = useMemo(
    () =>
      text === undefined ? { text: en, language: 'en', missing: preferred } : { text, language: preferred, missing: undefined },
    [text, preferred],
  )
  document.documentElement.lang = value.language
  return <TextContext value={value}>{children}</TextContext>
}

/** The languages with their names in themselves, for a menu. */
export const languageNames = (): { readonly value: string; readonly label: string }[] =>
  languages.map((code) => ({ value: code, label: languageName(code) }))

const languageName = (code: string): string => new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code

/** The locale for numbers and dates. */
export const useLocale = (): string => localeOf(useLanguage(), navigator.languages)
