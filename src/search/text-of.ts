import type { JsonObject } from '../util/json.ts'

/** Number of characters of a text that are searched, in UTF-16 code units. */
export const MAX_SEARCHED = 100_000

/** The searched text of a field: the beginning of the text as stored; lists are joined by commas. */
export function textOf(record: JsonObject, field: string): string {
  const value = record[field]
  if (typeof value === 'string') return searchedPart(value)
  return Array.isArray(value) ? searchedPart(value.join(', ')) : ''
}

/** The beginning of a text that is searched. It keeps both halves of its last character, or neither. */
export function searchedPart(text: string): string {
  if (text.length <= MAX_SEARCHED) return text
  const last = text.charCodeAt(MAX_SEARCHED - 1)
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? MAX_SEARCHED - 1 : MAX_SEARCHED)
}
