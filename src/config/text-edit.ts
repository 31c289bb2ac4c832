import { type Document, isAlias, isCollection, isMap, isNode, isPair, isScalar, type Node, type Pair, visit } from 'yaml'
import type { Json } from '../util/json.ts'
import type { Path, TextChange, TextEdit } from './source.ts'

/** A parsed file with the text that node ranges refer to. */
export interface ParsedText {
  readonly file: string
  readonly text: string
  readonly format: 'yaml' | 'json'
  readonly document: Document
}

/**
 * The text edit that makes a change and preserves everything else, including comments and layout; undefined if that is
 * impossible.
 */
export function editOf(parsed: ParsedText, change: TextChange): TextEdit | undefined {
  if (isShared(parsed, change.path)) return undefined
  const edit = (from: number, to: number, text: string): TextEdit => ({ file: parsed.file, from, to, text, change })
  switch (change.kind) {
    case 'set':
      return setEdit(parsed, change.path, change.value, edit)
    case 'remove':
      return removeEdit(parsed, change.path, edit)
    case 'add':
      return addEdit(parsed, change, edit)
  }
}

type Edit = (from: number, to: number, text: string) => TextEdit

/** True for a node within an alias or an aliased anchor, which occurs in several places. */
function isShared({ document, text }: ParsedText, path: Path): boolean {
  if (!text.includes('*')) return false
  const used = new Set<string>()
  visit(document, { Alias: (_, { source }) => void used.add(source) })
  return [[], ...path.map((_, index) => path.slice(0, index + 1))].some((part) => {
    const node = nodeAt(document, part)
    return isAlias(node) || (node !== undefined && 'anchor' in node && used.has(String(node.anchor)))
  })
}

/** End of a node's text, without trailing white space. */
export function nodeEnd(node: Node, text: string): number {
  const inner = isCollection(node) && node.flow !== true ? lastOf(node.items.at(-1)) : undefined
  if (inner !== undefined) return nodeEnd(inner, text)
  const [start, end] = node.range ?? [0, 0]
  const written = text.slice(start, end).trimEnd()
  return start + written.length
}

function lastOf(item: unknown): Node | undefined {
  if (isNode(item)) return item
  if (!isPair(item)) return undefined
  return isNode(item.value) && (item.value.range?.[1] ?? 0) > 0 ? item.value : isNode(item.key) ? item.key : undefined
}

function nodeAt(document: Document, path: Path): Node | undefined {
  const node = path.length === 0 ? document.contents : document.getIn(path, true)
  return isNode(node) ? node : undefined
}

function setEdit({ document, text, format }: ParsedText, path: Path, value: Json, edit: Edit): TextEdit | undefined {
  const node = nodeAt(document, path)
  if (!isScalar(node) || node.range == null || text.slice(node.range[0], nodeEnd(node, text)).includes('\n')) return undefined
  return edit(node.range[0], nodeEnd(node, text), written(value, format))
}

/** Removes an item of a list, unless a comment would be lost or the list would be empty. */
function removeEdit({ document, text }: ParsedText, path: Path, edit: Edit): TextEdit | undefined {
  const list = nodeAt(document, path.slice(0, -1))
  const index = Number(path.at(-1))
  if (!isCollection(list) || isMap(list) || list.items.length < 2) return undefined
  const spans = list.items.map(
    (item) => (isNode(item) ? [item.range?.[0] ?? 0, nodeEnd(item, text)] : [0, 0]) as [number, number],
  )
  const [start, end] = spans[index] ?? [0, 0]
  const [before, after] = [spans[index - 1], spans[index + 1]]
  const [from, to] = list.flow === true ? (before ? [before[1], end] : [start, after?.[0] ?? end]) : wholeLines(text, start, end)
  const around = text.slice(from, start) + text.slice(end, to)
  return (list.flow === true ? /^[\s,]*$/ : /^\s*-\s+$/).test(around.replace(/\r?\n$/, '')) ? edit(from, to, '') : undefined
}

function wholeLines(text: string, start: number, end: number): [number, number] {
  const next = text.indexOf('\n', end)
  return [text.lastIndexOf('\n', start - 1) + 1, next === -1 ? text.length : next + 1]
}

function addEdit(
  { document, text, format }: ParsedText,
  { path, key, value, after }: Extract<TextChange, { kind: 'add' }>,
  edit: Edit,
): TextEdit | undefined {
  const map = nodeAt(document, path)
  // A key with a malformed value must not be added again; a pair in a list without braces cannot take another.
  if (!isMap(map) || map.items.length === 0 || map.has(key)) return undefined
  if (map.flow === true && text[map.range?.[0] ?? -1] !== '{') return undefined
  const pair = map.items.find((each) => isScalar(each.key) && each.key.value === after) ?? map.items.at(-1)
  const place = pair && spanOf(pair, text)
  if (place === undefined) return undefined
  const member = `${format === 'json' ? JSON.stringify(key) : key}: ${written(value, format)}`
  const lineStart = text.lastIndexOf('\n', place.start - 1) + 1
  const isFirst = /^\s*(- +)*$/.test(text.slice(lineStart, place.start))
  const newLine = `${text.includes('\r\n') ? '\r\n' : '\n'}${' '.repeat(place.start - lineStart)}`
  if (map.flow === true) return edit(place.end, place.end, isFirst ? `,${newLine}${member}` : `, ${member}`)
  // The key has a prefix: `?`, an anchor or a tag.
  if (!isFirst) return undefined
  const [lineEnd] = /\r?\n|$/.exec(text.slice(place.end)) ?? ['']
  const at = text.indexOf(lineEnd, place.end)
  return edit(lineEnd === '' ? text.length : at, lineEnd === '' ? text.length : at, `${newLine}${member}`)
}

function spanOf(pair: Pair, text: string): { start: number; end: number } | undefined {
  const last = lastOf(pair)
  return isNode(pair.key) && pair.key.range != null && last ? { start: pair.key.range[0], end: nodeEnd(last, text) } : undefined
}

/** Words that YAML does not read as strings unless they are quoted. */
const NOT_A_STRING = /^(true|false|null|yes|no|on|off|y|n)$/i

function written(value: Json, format: 'yaml' | 'json'): string {
  const isPlain = format === 'yaml' && typeof value === 'string' && /^[A-Za-z][A-Za-z0-9_ -]*[A-Za-z0-9]$/.test(value)
  return isPlain && !NOT_A_STRING.test(value) ? value : JSON.stringify(value)
}
