/**
 * Splits a line of comma-separated values (RFC 4180): values with commas are enclosed in double quotes, quotes are doubled.
 *
 * @returns undefined for an unclosed quote
 */
export function splitValues(line: string): string[] | undefined {
  const values: string[] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y
  while (cell.lastIndex <= line.length) {
    const match = cell.exec(line)
    if (match === null) return undefined
    values.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '')
    if (match[3] === '') return values
  }
  return values
}
