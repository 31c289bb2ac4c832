import assert from 'node:assert/strict'
import { ConfigError, type Fault, formatFault } from '../../src/config/fault.ts'

const MARK = '»'

/** Removes the marks `»` from a text; returns their positions as `line:column`. */
export function unmark(marked: string): { text: string; places: string[] } {
  const places: string[] = []
  const lines = marked.split('\n').map((line, index) => {
    const [first = '', ...rest] = line.split(MARK)
    return rest.reduce((before, part) => {
      places.push(`${index + 1}:${before.length + 1}`)
      return before + part
    }, first)
  })
  return { text: lines.join('\n'), places }
}

/** Compares faults with expected lines, in order; a line that ends in `…` is compared as a prefix. */
export function assertLines(actual: readonly string[], expected: readonly string[]): void {
  const cut = actual.map((line, index) => {
    const wanted = expected[index]
    return wanted?.endsWith('…') === true && line.startsWith(wanted.slice(0, -1)) ? wanted : line
  })
  assert.deepEqual(cut, expected)
}

/** Faults as lines of text, in the order of files and lines. */
export function linesOf(faults: readonly Fault[]): string[] {
  return new ConfigError(faults).faults.map(formatFault)
}
