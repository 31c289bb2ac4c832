import { createContext, type ReactNode, use, useMemo, useSyncExternalStore } from 'react'
import { preferences } from '../preferences.ts'
import { en, type Text } from './en.ts'
import { localeOf } from './format.ts'

/** Another language is a file beside this one, such as `de.ts`, which exports the texts as its default. */
const others = import.meta.glob<{ readonly default: Text }>(['./??.ts', '!./en.ts'])

const loaders = new Map(Object.entries(others).map(([path, load]) => [path.slice('./'.length, -'.ts'.length), load]))

/** Codes of the languages, such as `en` and `de`. */
const languages: readonly string[] = ['en', ...loaders.keys()]

const TextContext = createContext<{ readonly text: Text; readonly language: string }>({ text: en, language: 'en' })

/** The texts of the present language. */
export const useText = (): Text => use(TextContext).text

/** Code of the present language. */
export const useLanguage = (): string => use(TextContext).language

/** The language that the user has chosen, otherwise the first of the browser's that the page has, otherwise English. */
function preferredLanguage(chosen: string | undefined, browser: readonly string[]): string {
  const wanted = [...(chosen === undefined ? [] : [chosen]), ...browser.map((tag) => tag.slice(0, 2).toLowerCase())]
  return wanted.find((code) => languages.includes(code)) ?? 'en'
}

/** Promises of the texts that were loaded; English is part of the page. */
const texts = new Map<string, Promise<Text>>([['en', Promise.resolve(en)]])

function textsOf(language: string): Promise<Text> {
  const load = loaders.get(language)
  const text = texts.get(language) ?? load?.().then((module) => module.default) ?? Promise.resolve(en)
  texts.set(language, text)
  return text
}

/** Provides the texts of the preferred language. Suspends until they are loaded. */
export function TextProvider({ children }: { readonly children: ReactNode }) {
  const chosen = useSyncExternalStore(preferences.subscribe, () => preferences.get('language'))
  const language = preferredLanguage(chosen, navigator.languages)
  const text = language === 'en' ? en : use(textsOf(language))
  const value = useMemo(() => ({ text, language }), [text, language])
  document.documentElement.lang = language
  return <TextContext value={value}>{children}</TextContext>
}

/** The languages with their names in themselves, for a menu. */
export const languageNames = (): { readonly value: string; readonly label: string }[] =>
  languages.map((code) => ({ value: code, label: new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code }))

/** The locale for numbers and dates. */
export const useLocale = (): string => localeOf(useLanguage(), navigator.languages)
