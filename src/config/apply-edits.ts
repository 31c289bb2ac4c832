import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../util/json.ts'
import type { Change, TextEdit } from './source.ts'
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
  let done = start
  const made: TextEdit[] = []
  for (const edit of [...edits].sort((a, b) => a.from - b.from || a.to - b.to)) {
    const [from, to] = [edit.from + start, edit.to + start]
    if (from < done || (made.length > 0 && from === done)) continue
    text += content.slice(done, from) + edit.text
    done = to
    made.push(edit)
  }
  text += content.slice(done)
  return saysSoMuch(content, text, made) ? { text, applied: made.length } : { text: content, applied: 0 }
}

/** True if the edited text has the meaning of the original with only these changes. */
function saysSoMuch(before: string, after: string, edits: readonly TextEdit[]): boolean {
  const [file] = edits.map((edit) => edit.file)
  if (file === undefined) return true
  const meaningOf = (text: string) =>
    parseText(text, file, file.toLowerCase().endsWith('.json') ? 'json' : 'yaml').definition.value
  const expected = structuredClone(meaningOf(before))
  // Removing an item shifts those behind it, so the last goes first.
  const inTurn = [...edits].sort(
    (a, b) => Number(a.change.kind === 'remove') - Number(b.change.kind === 'remove') || b.from - a.from,
  )
  return inTurn.every(({ change }) => makeChange(expected, change)) && isDeepStrictEqual(meaningOf(after), expected)
}

/** @returns false if the path does not exist */
function makeChange(root: unknown, { path, ...change }: Change): boolean {
  const holder = (change.kind === 'add' ? path : path.slice(0, -1)).reduce<unknown>(memberOf, root)
  const name = change.kind === 'add' ? change.key : path.at(-1)
  if (!isHolder(holder) || name === undefined || Object.hasOwn(holder, name) === (change.kind === 'add')) return false
  if (change.kind !== 'remove') holder[name] = change.value
  else if (Array.isArray(holder)) holder.splice(Number(name), 1)
  else delete holder[name]
  return true
}

const memberOf = (value: unknown, step: string | number): unknown => (isHolder(value) ? value[step] : undefined)

const isHolder = (value: unknown): value is Record<string | number, unknown> => isObject(value) || Array.isArray(value)
