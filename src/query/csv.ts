/**
 * Splits one line of comma-separated values (RFC 4180): a value with a comma stands in double quotes, a quote is doubled.
 *
 * @returns undefined when a quote is not closed
 */
export function splitCsv(line: string): string[] | undefined {
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
