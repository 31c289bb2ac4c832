import assert from 'node:assert/strict'
import { ConfigError, type Fault, formatFault } from '../../src/config/fault.ts'

const MARK = '»'

/** Takes the marks `»` out of a text; the places are where they stood, as `line:column`. */
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

/** Holds faults against expected lines, all of them in order; a line that ends in `…` need only begin so. */
export function assertLines(actual: readonly string[], expected: readonly string[]): void {
  const cut = actual.map((line, index) => {
    const wanted = expected[index]
    return wanted?.endsWith('…') === true && line.startsWith(wanted.slice(0, -1)) ? wanted : line
  })
  assert.deepEqual(cut, expected)
}

/** Faults as a person reads them, in the order of files and lines. */
export function linesOf(faults: readonly Fault[]): string[] {
  return new ConfigError(faults).faults.map(formatFault)
}
