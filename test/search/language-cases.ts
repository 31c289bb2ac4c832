import type { Positions } from '../../src/search/query.ts'

/** `q` finds `text`, marked like this. */
export const CASES: Readonly<Record<string, readonly (readonly [q: string, marked: string])[]>> = {
  'letters with marks and letters without': [
    ['müller', '[Muller] came'],
    ['muller', '[Müller] came'],
    ['MULLER', '[Mu\u0308ller] came'],
    ['strasse', 'die [Straße]'],
    ['straße', 'die [STRASSE]'],
    ['lodz', '[Łódź]'],
    ['smorrebrod', '[Smørrebrød]'],
    ['file', '[ﬁle]'],
    ['елка', '[Ёлка]'],
    ['αθηνα', '[Αθήνα]'],
    ['ΚΟΣ', '[ΚΟΣΜΟΣ]'],
    ['θεοσ', '[ΘΕΟΣ]'],
  ],
  'scripts without spaces': [
    ['東京', '[東京]都庁'],
    ['京都', '東[京都]庁'],
    ['庁', '東京都[庁]'],
    ['京', '東[京]都庁'],
    ['カメラ', 'デジタル[カメラ]とレンズ'],
    ['ｶﾒﾗ', 'デジタル[カメラ]'],
    ['パソコン', '[ﾊﾟｿｺﾝ]'],
    ['コーヒー', '[ｺｰﾋｰ]'],
    ['한국', `[${'한국'.normalize('NFD')}]${'어'.normalize('NFD')}`],
    ['葛城', '[葛\u{e0100}城]'],
    ['서울', '[서울]특별시'],
    ['กรุงเทพ', '[กรุงเทพ]มหานคร'],
    ['tower', '東京[Tower]展望台'],
    ['東京tower', '[東京][Tower]展望台'],
  ],
  'characters that are not seen': [
    ['caterpillar', 'a [cater\u00adpil\u00adlar] eats'],
    ['cater\u00adpillar', 'a [caterpillar] eats'],
    ['pillar', 'a caterpillar and a [pil\u00adlar]'],
    ['foobar', '[foo\u200bbar] baz'],
    ['foo\u2060bar', '[foobar] baz'],
    ['\ufefffirst', '[first] line'],
    ['first', '\ufeff[first] line'],
    ['müller', 'Herr [Mül\u00adler]\u200b'],
    ['ann@example.com', 'to [ann@\u200bexample\u200b.com] soon'],
    ['東京都', '[東\u200b京都]庁'],
    ['กรุงเทพมหานคร', '[กรุงเทพ\u200bมหานคร]'],
    // Persian: joined, with a ZWNJ, and with a space; by its part, too.
    ['میخواهم', '[می\u200cخواهم]'],
    ['می\u200cخواهم', '[میخواهم]'],
    ['کتاب ها', '[کتاب]\u200c[ها]'],
    ['کتاب\u200cها', '[کتاب] [ها]'],
    ['کتاب', '[کتاب]\u200cها'],
    // Kannada and Bengali, with and without a joiner.
    ['ರಾಜ್ಕುಮಾರ್', '[ರಾಜ್\u200cಕುಮಾರ್]'],
    ['র্যাব', '[র\u200d্যাব]'],
  ],
  'vowel signs of Hebrew and Arabic': [
    ['שלום', '[שָׁלוֹם] לך'],
    ['שָׁלוֹם', '[שלום] לך'],
    ['שלום', '[שָׁלוֹם]'.normalize('NFC')],
    ['محمد', '[مُحَمَّد] هنا'],
    ['مُحَمَّد', '[محمد] هنا'],
    ['محمد', '[محـــمد] هنا'],
    ['محـمد', '[محمد] هنا'],
    ['الرحمن', '[الرَّحْمَٰن]'],
    ['مؤمن', '[مُؤْمِن]'],
  ],
  'what is joined': [
    ['ann@example.com', 'write to [ann@example.com] soon'],
    ['ann', 'write to [ann]@example.com soon'],
    ['example', 'write to ann@[example].com soon'],
    ['ann@exam', 'write to [ann@example.com] soon'],
    ['example.com', 'write to ann@[example].[com] soon'],
    ['3.14', 'about [3.14] or so'],
    ['14', 'about 3.[14] or so'],
    ['2024-05', 'on [2024-05-01]'],
    ['555', 'call +1-[555]-1234'],
    ["o'brien", "Mr [O'Brien]"],
    ['o’brien', "Mr [O'Brien]"],
    ['brien', 'Mr O’[Brien]'],
    ['e-mail', 'an [e] [mail]'],
    ['snake_case', 'a [snake_case] name'],
    ['abc-東京都 foo', '[abc]-[東京都]市 [foo]'],
    ['ann bar ann', '[anna] [bar]'],
  ],
  'forms of a word': [
    ['universities', 'a [university]'],
    ['run', 'while [running]'],
    ['jumped', 'she [jumps]'],
    ['catalog', 'the [catalogue]'],
  ],
  'emoji and other signs': [
    ['pizza', '🍕 [pizza] 🎉'],
    ['1 first', '[1️⃣] [first]'],
    ['c', '[C]++ and more'],
  ],
}

/** A text with brackets around the words at these positions. */
export function marked(text: string, spans: Positions[string] = []): string {
  return spans.toReversed().reduce((result, [start, length]) => {
    return `${result.slice(0, start)}[${result.slice(start, start + length)}]${result.slice(start + length)}`
  }, text)
}

/** The text without brackets. */
export const unmarked = (text: string): string => text.replaceAll(/[[\]]/g, '')
