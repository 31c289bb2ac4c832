/**
 * The regular expression (PostgreSQL, advanced) of the texts that contain a part when both are in lower case, as
 * `text.toLowerCase().includes(part.toLowerCase())` says. It depends on no collation, and a trigram index of the texts supports it.
 */
export function containsPattern(part: string): string {
  const characters = [...part.toLowerCase()]
  let pattern = ''
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? ''
    if (character === 'i' && characters[at + 1] === DOT_ABOVE) {
      pattern += `(?:[iI]${DOT_ABOVE}|${DOTTED_I})`
      at++
    } else if (character === 'i' && at === characters.length - 1) pattern += `[iI${DOTTED_I}]`
    else if (character === DOT_ABOVE && at === 0) pattern += `[${DOT_ABOVE}${DOTTED_I}]`
    else pattern += patternOf(character)
  }
  return pattern
}

/** İ, the only character whose lower case is two: `i` and a combining dot. A part may contain either or both. */
const DOTTED_I = '\u0130'
const DOT_ABOVE = '\u0307'

function patternOf(character: string): string {
  if (character === 'σ' || character === 'ς') return sigmaPattern(character)
  const upper = upperCases().get(character)
  if (upper !== undefined) return `[${character}${upper}]`
  return /[ -/:-@[-`{-~]/.test(character) && character !== ' ' && character !== '_' ? `\\${character}` : character
}

let knownUpperCases: ReadonlyMap<string, string> | undefined

/** No character above has an upper case (Unicode 17). */
const LAST_WITH_CASE = 0x1efff

/** The characters with each lower case: `k` has K and the Kelvin sign. */
function upperCases(): ReadonlyMap<string, string> {
  if (knownUpperCases !== undefined) return knownUpperCases
  const found = new Map<string, string>()
  for (let code = 0; code <= LAST_WITH_CASE; code++) {
    const character = String.fromCodePoint(code)
    const lower = character.toLowerCase()
    if (lower !== character && character !== DOTTED_I) found.set(lower, (found.get(lower) ?? '') + character)
  }
  knownUpperCases = found
  return found
}

/**
 * The lower case of Σ is ς at the end of a word: after a letter with case and not before one, where characters such as apostrophes and
 * accents do not count (Unicode, Final_Sigma).
 */
function sigmaPattern(character: 'σ' | 'ς'): string {
  const { cased, ignored } = caseClasses()
  const [before, after] = [`${cased}${ignored}*`, `${ignored}*${cased}`]
  return character === 'ς' ? `(?:ς|(?<=${before})Σ(?!${after}))` : `(?:σ|Σ(?=${after})|(?<!${before})Σ)`
}

let knownClasses: { readonly cased: string; readonly ignored: string } | undefined

/** Letters with case, and characters that the condition ignores; some are both and are ignored. */
function caseClasses(): { readonly cased: string; readonly ignored: string } {
  knownClasses ??= {
    cased: classOf((character) => /\p{Cased}/u.test(character) && !/\p{Case_Ignorable}/u.test(character)),
    ignored: classOf((character) => /\p{Case_Ignorable}/u.test(character)),
  }
  return knownClasses
}

const LAST_CODE_POINT = 0x10ffff

function classOf(belongs: (character: string) => boolean): string {
  let ranges = ''
  let start: number | undefined
  for (let code = 1; code <= LAST_CODE_POINT + 1; code++) {
    const isIn = code <= LAST_CODE_POINT && belongs(String.fromCodePoint(code))
    if (isIn) start ??= code
    else if (start !== undefined) {
      ranges += start === code - 1 ? escaped(start) : `${escaped(start)}-${escaped(code - 1)}`
      start = undefined
    }
  }
  return `[${ranges}]`
}

const escaped = (code: number): string => `\\U${code.toString(16).padStart(8, '0')}`
