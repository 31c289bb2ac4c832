import { DELIMITERS } from '../query/formats.ts'

/** Maximum length of a header that is searched for a delimiter. */
const MAX_HEADER = 65_536

/**
 * Finds the delimiter of a CSV file in its header: the one that splits it into the most known columns, or into the most columns where no
 * column is known; a comma when in doubt. Spreadsheets write semicolons in countries with a decimal comma, and tabs to the clipboard.
 *
 * @param isKnown true for the name or the label of a field
 */
export function delimiterOf(header: string, isKnown: (name: string) => boolean): string {
  let best: { delimiter: string; known: number; columns: number } = { delimiter: DELIMITERS.comma, known: 0, columns: 0 }
  for (const delimiter of Object.values(DELIMITERS)) {
    const names = namesIn(header, delimiter)
    const known = names.filter((name) => isKnown(name)).length
    if (known > best.known || (known === best.known && names.length > best.columns))
      best = { delimiter, known, columns: names.length }
  }
  return best.delimiter
}

/** The names in a header. A delimiter within quotes belongs to the name. */
function namesIn(header: string, delimiter: string): string[] {
  const names: string[] = []
  let name = ''
  let isQuoted = false
  for (const piece of header.split(delimiter)) {
    name = isQuoted ? name + delimiter + piece : piece
    if (piece.split('"').length % 2 === 0) isQuoted = !isQuoted
    if (!isQuoted) names.push(bare(name))
  }
  return isQuoted ? [...names, bare(name)] : names
}

const bare = (name: string): string =>
  name
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .replaceAll('""', '"')
    .trim()

/** Reads the first line of a text that is not empty, and returns it with the whole text. */
export async function withHeader(
  text: AsyncIterable<string> | Iterable<string>,
): Promise<{ readonly header: string; readonly whole: AsyncGenerator<string> }> {
  const rest = toAsync(text)
  let start = ''
  while (start.length < MAX_HEADER && !/[^\r\n][\r\n]/.test(start)) {
    const { value, done } = await rest.next()
    if (done === true) break
    start += value
  }
  async function* whole() {
    yield start
    yield* rest
  }
  return { header: /[^\r\n]+/.exec(start.replace(/^\uFEFF/, ''))?.[0].slice(0, MAX_HEADER) ?? '', whole: whole() }
}

async function* toAsync(text: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string, undefined> {
  yield* text
  return undefined
}
