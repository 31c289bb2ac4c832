import { styleText } from 'node:util'
import { printable, printableJson } from '../util/text.ts'
import type { Io, TextOutput } from './io.ts'

type Format = Parameters<typeof styleText>[0]

/** Returns a function that colours text for a stream: only for a terminal, and never with NO_COLOR (https://no-color.org). */
export function painter(output: TextOutput, { NO_COLOR: noColor = '' }: Io['env']): (format: Format, text: string) => string {
  const inColour = output.isTTY === true && noColor === ''
  return (format, text) => (inColour ? styleText(format, text, { validateStream: false }) : text)
}

/** Formats a table with columns two spaces apart. Cells may contain untrusted text; control characters are escaped. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [headings, ...rows].map((row) => row.map(printable))
  const widths = headings.map((_, column) => all.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0))
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return all.map((row) => `${line(row).trimEnd()}\n`).join('')
}

/** Prints records as a table with the given columns, or with `--json` as a JSON array. */
export function printRecords<T>(
  { stdout }: Io,
  records: readonly T[],
  { json }: { readonly json?: boolean },
  columns: Readonly<Record<string, (record: T) => string>>,
): void {
  const rows = () => records.map((record) => Object.values(columns).map((cell) => cell(record)))
  stdout.write(json === true ? `${printableJson(records)}\n` : table(Object.keys(columns), rows()))
}

/** A number with its noun: `1 fault`, `2 faults`. */
export const counted = (count: number, noun: string, nouns = `${noun}s`): string => `${count} ${count === 1 ? noun : nouns}`

/** A text as one word of a POSIX shell, so that a printed command can be copied: in single quotes where it has other than plain letters. */
export const shellWord = (text: string): string => (/^[\w./@%+:,=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)
