import { styleText } from 'node:util'
import type { Io, TextOutput } from './io.ts'
import { printable } from './printable.ts'

type Format = Parameters<typeof styleText>[0]

/** Colours text for one stream: only where a person looks, and never with NO_COLOR (https://no-color.org). */
export function painter(output: TextOutput, { NO_COLOR: noColor = '' }: Io['env']): (format: Format, text: string) => string {
  const inColour = output.isTTY === true && noColor === ''
  return (format, text) => (inColour ? styleText(format, text, { validateStream: false }) : text)
}

/** Lines up rows under their headings, two spaces apart. Cells may hold anything; what a terminal would obey is escaped. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [headings, ...rows].map((row) => row.map(printable))
  const widths = headings.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return all.map((row) => `${line(row).trimEnd()}\n`).join('')
}
