import { useLanguage } from '../text/text.tsx'
import { localeOf } from './format.ts'

/** The locale for numbers and dates. */
export const useLocale = (): string => localeOf(useLanguage(), navigator.languages)
