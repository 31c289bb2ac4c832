import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../util/json.ts'
import type { TextChange, TextEdit } from './source.ts'
import { parseText } from './text-source.ts'

/**
 * Applies edits to a file's text. Of overlapping edits only the first is applied. If the result does not parse to exactly the
 * changed definition, none is applied.
 *
 * @returns the number of edits applied
 */
export function applyEdits(content: string, edits: readonly TextEdit[]): { text: string; applied: number } {
  // Offsets do not count a byte order mark.
  const start = content.startsWith('\uFEFF') ? 1 : 0
  let text = content.slice(0, start)
  let copied = start
  const accepted: TextEdit[] = []
  for (const edit of [...edits].sort((a, b) => a.from - b.from || a.to - b.to)) {
    const [from, to] = [edit.from + start, edit.to + start]
    if (from < copied || (accepted.length > 0 && from === copied)) continue
    text += content.slice(copied, from) + edit.text
    copied = to
    accepted.push(edit)
  }
  text += content.slice(copied)
  return hasOnlyChanges(content, text, accepted) ? { text, applied: accepted.length } : { text: content, applied: 0 }
}

/** True if the edited text parses to the original value with exactly these changes. */
function hasOnlyChanges(before: string, after: string, edits: readonly TextEdit[]): boolean {
  const [file] = edits.map((edit) => edit.file)
  if (file === undefined) return true
  const parse = (text: string) => parseText(text, file, file.toLowerCase().endsWith('.json') ? 'json' : 'yaml').definition.value
  const expected = structuredClone(parse(before))
  // Removing an item shifts the indexes behind it, so removals come last and run from the end.
  const ordered = [...edits].sort(
    (a, b) => Number(a.change.kind === 'remove') - Number(b.change.kind === 'remove') || b.from - a.from,
  )
  return ordered.every(({ change }) => applyChange(expected, change)) && isDeepStrictEqual(parse(after), expected)
}

/** @returns false if the path does not exist */
function applyChange(root: unknown, { path, ...change }: TextChange): boolean {
  const container = (change.kind === 'add' ? path : path.slice(0, -1)).reduce<unknown>(memberOf, root)
  const name = change.kind === 'add' ? change.key : path.at(-1)
  if (!isContainer(container) || name === undefined || Object.hasOwn(container, name) === (change.kind === 'add')) return false
  if (change.kind !== 'remove') container[name] = change.value
  else if (Array.isArray(container)) container.splice(Number(name), 1)
  else delete container[name]
  return true
}

const memberOf = (value: unknown, step: string | number): unknown => (isContainer(value) ? value[step] : undefined)

const isContainer = (value: unknown): value is Record<string | number, unknown> => isObject(value) || Array.isArray(value)
