import { DELIMITERS } from '../query/formats.ts'

/** Maximum length of a header that is searched for a delimiter. */
const MAX_HEADER = 65_536

/**
 * Finds the delimiter of a CSV file in its header: the one that splits it into the most field names; a comma when in doubt.
 * Spreadsheets write semicolons in countries with a decimal comma, and tabs to the clipboard.
 *
 * @param known the names of the fields
 */
export function delimiterOf(header: string, known: ReadonlySet<string>): string {
  const namesBy = (delimiter: string) =>
    header.split(delimiter).filter((name) => known.has(name.trim().replace(/^"(.*)"$/, '$1'))).length
  return Object.values(DELIMITERS).reduce((best, each) => (namesBy(each) > namesBy(best) ? each : best))
}

/** Reads the first line of a text, and returns it with the whole text. */
export async function withHeader(
  text: AsyncIterable<string> | Iterable<string>,
): Promise<{ readonly header: string; readonly whole: AsyncGenerator<string> }> {
  const rest = toAsync(text)
  let start = ''
  while (start.length < MAX_HEADER && !/[\r\n]/.test(start)) {
    const { value, done } = await rest.next()
    if (done === true) break
    start += value
  }
  async function* whole() {
    yield start
    yield* rest
  }
  return { header: start.replace(/^\uFEFF/, '').split(/\r|\n/, 1)[0] ?? '', whole: whole() }
}

async function* toAsync(text: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string, undefined> {
  yield* text
  return undefined
}
