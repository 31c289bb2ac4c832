import { foldCase } from '../../../../util/plain-text.ts'

/**
 * The regular expression (PostgreSQL, advanced) of the texts that contain a part when both are in lower case, as
 * `foldCase(text).includes(foldCase(part))` says. It depends on no collation, and a trigram index of the texts supports it.
 */
export function containsPattern(part: string): string {
  const characters = [...foldCase(part)]
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
  const upper = upperCases().get(character)
  if (upper !== undefined) return `[${character}${upper}]`
  return /[ -/:-@[-`{-~]/.test(character) && character !== ' ' && character !== '_' ? `\\${character}` : character
}

let knownUpperCases: ReadonlyMap<string, string> | undefined

/** No character above has an upper case (Unicode 17). */
const LAST_WITH_CASE = 0x1efff

/** The other characters that are folded to each: to `k`, K and the Kelvin sign. */
function upperCases(): ReadonlyMap<string, string> {
  if (knownUpperCases !== undefined) return knownUpperCases
  const found = new Map<string, string>()
  for (let code = 0; code <= LAST_WITH_CASE; code++) {
    const character = String.fromCodePoint(code)
    const lower = foldCase(character)
    if (lower !== character && character !== DOTTED_I) found.set(lower, (found.get(lower) ?? '') + character)
  }
  knownUpperCases = found
  return found
}
