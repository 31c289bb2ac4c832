/** Letters that Unicode does not decompose into a base letter and a mark, and the final form of a Greek letter. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i', ς: 'σ' },
}
const LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g')
const ASCII = /^[\0-\x7f]*$/
/** Kana, unified ideographs and Hangul syllables, which the steps below leave as they are. */
const UNCHANGED = /^[\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fff\uac00-\ud7a3]*$/
/** Accents, enclosing marks and variation selectors. */
const ACCENTS = String.raw`\u0300-\u036f\u20d0-\u20ff\ufe00-\ufe0f\u{e0100}-\u{e01ef}`
/** Hebrew cantillation and vowel signs (niqqud). */
const NIQQUD = String.raw`\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7`
/** Arabic vowel signs (harakat), signs of the Quran, and the stroke that lengthens a word (tatweel). Hamza and madda are letters. */
const HARAKAT = String.raw`\u0610-\u061a\u0640\u064b-\u0652\u0656-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u08d3-\u08e1\u08e3-\u08ff`
/** Readers ignore these. White space is what NFKD puts between the words of a ligature such as U+FDFA. */
const IGNORED = new RegExp(String.raw`[${ACCENTS}${NIQQUD}${HARAKAT}\s]`, 'gu')

/**
 * Folds case, accents, vowel signs of Hebrew and Arabic, and compatibility forms (NFKD), which readers consider equal. Marks of other
 * scripts stay, since they are vowels there that every text has; decomposed syllables and kana are composed again.
 */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  if (UNCHANGED.test(text)) return text
  const bare = text.normalize('NFKD').toLowerCase().replace(IGNORED, '')
  return bare.replace(LETTER, (letter) => LETTERS[letter] ?? letter).normalize('NFC')
}

/** Soft hyphens, and characters of no width: ZWSP, ZWNJ, ZWJ, the word joiner and the byte order mark. */
const UNSEEN = /[\u00ad\u200b-\u200d\u2060\ufeff]+/g
const NON_JOINER = '\u200c'
const ENDS_WITH_LETTER = /[\p{L}\p{N}\p{M}]$/u
const STARTS_WITH_LETTER = /^[\p{L}\p{N}]/u

/** A text as readers see it, and where its characters stand in the whole text. */
interface SeenText {
  readonly text: string
  /** Position in the whole text. */
  placeOf(at: number): number
}

/**
 * Removes characters that readers do not see, since a word is the same with and without them. A ZWNJ between two letters stays: in Persian
 * it parts a word from its ending, and people write the same word joined, with a ZWNJ or with a space.
 */
export function seenText(whole: string): SeenText {
  if (whole.search(UNSEEN) < 0) return { text: whole, placeOf: (at) => at }
  const places = new Int32Array(whole.length)
  let text = ''
  let from = 0
  const keep = (start: number, end: number) => {
    for (let at = start; at < end; at++) places[text.length + at - start] = at
    text += whole.slice(start, end)
  }
  for (const { 0: unseen, index } of whole.matchAll(UNSEEN)) {
    keep(from, index)
    from = index + unseen.length
    if (unseen.includes(NON_JOINER) && isBetweenLetters(whole, index, from))
      keep(index + unseen.indexOf(NON_JOINER), index + unseen.indexOf(NON_JOINER) + 1)
  }
  keep(from, whole.length)
  return { text, placeOf: (at) => places[at] ?? 0 }
}

/** True if a letter ends before `start`, and one begins at `end`. Either may have two code units. */
const isBetweenLetters = (text: string, start: number, end: number): boolean =>
  ENDS_WITH_LETTER.test(text.slice(Math.max(0, start - 2), start)) && STARTS_WITH_LETTER.test(text.slice(end, end + 2))
