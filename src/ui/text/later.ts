import { enLater, type LaterText } from './en-later.ts'
import { useLanguage } from './text.tsx'

const files = import.meta.glob<{ readonly default: LaterText }>('./??-later.ts', { eager: true })

const texts = new Map(
  Object.entries(files).map(([path, module]) => [path.slice('./'.length, -'-later.ts'.length), module.default]),
)

/**
 * The texts of parts that are loaded on first use, in the present language. Only such parts import this module: the texts of all
 * languages are loaded with the first of them.
 */
export const useLaterText = (): LaterText => laterTextIn(useLanguage())

/** The same texts in a language, for code that is no component. */
export const laterTextIn = (language: string): LaterText => texts.get(language) ?? enLater
